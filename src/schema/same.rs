//! Whether two schemas say the same, wherever they are written.
//!
//! Mirrors apimachinery's `Semantic.DeepEqual`, by which the server finds versions with one schema: an empty list or
//! map equals a missing one.

use super::{Additional, Dependency, Items, Schema, ValidationRule};
use std::collections::HashMap;
use std::sync::Arc;

impl Schema {
    /// Whether the server takes two schemas for equal.
    pub fn same(&self, other: &Schema) -> bool {
        scalars(self, other) && nested(self, other)
    }
}

fn scalars(left: &Schema, right: &Schema) -> bool {
    macro_rules! equal {
        ($($field:ident),*) => { $(left.$field == right.$field)&&* };
    }
    equal!(id, schema, reference, description, title, ty, format, nullable, default, example, external_docs)
        && equal!(maximum, exclusive_maximum, minimum, exclusive_minimum, multiple_of, max_length, min_length)
        && equal!(pattern, max_items, min_items, unique_items, max_properties, min_properties)
        && equal!(
            enumeration,
            required,
            preserve,
            embedded,
            int_or_string,
            list_type,
            list_map_keys,
            map_type
        )
        && list(&left.validations, &right.validations, rule)
}

fn nested(left: &Schema, right: &Schema) -> bool {
    map(&left.properties, &right.properties)
        && optional(&left.items, &right.items, items)
        && optional(&left.additional_properties, &right.additional_properties, additional)
        && optional(&left.additional_items, &right.additional_items, additional)
        && map(&left.pattern_properties, &right.pattern_properties)
        && map(&left.definitions, &right.definitions)
        && dependencies(left, right)
        && list(&left.all_of, &right.all_of, Schema::same)
        && list(&left.any_of, &right.any_of, Schema::same)
        && list(&left.one_of, &right.one_of, Schema::same)
        && optional(&left.not, &right.not, |left, right| left.same(right))
}

fn optional<T>(left: &Option<T>, right: &Option<T>, same: impl Fn(&T, &T) -> bool) -> bool {
    match (left, right) {
        (None, None) => true,
        (Some(left), Some(right)) => same(left, right),
        _ => false,
    }
}

fn list<T>(left: &[T], right: &[T], same: impl Fn(&T, &T) -> bool) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
}

/// Versions mostly write their properties in one order: only where they do not are they looked up.
fn map(left: &[(Arc<str>, Schema)], right: &[(Arc<str>, Schema)]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    if left.iter().zip(right).all(|(left, right)| left.0 == right.0) {
        return left.iter().zip(right).all(|(left, right)| left.1.same(&right.1));
    }
    let twins: HashMap<&str, &Schema> = right.iter().map(|it| (&*it.0, &it.1)).collect();
    left.iter().all(|(name, it)| twins.get(&**name).is_some_and(|twin| it.same(twin)))
}

fn items(left: &Items, right: &Items) -> bool {
    match (left, right) {
        (Items::Schema(left), Items::Schema(right)) => left.same(right),
        (Items::List(left), Items::List(right)) => list(left, right, Schema::same),
        _ => false,
    }
}

fn additional(left: &Additional, right: &Additional) -> bool {
    match (left, right) {
        (Additional::Schema(left), Additional::Schema(right)) => left.same(right),
        (Additional::Allowed(left), Additional::Allowed(right)) => left == right,
        _ => false,
    }
}

fn dependencies(left: &Schema, right: &Schema) -> bool {
    let [left, right] = [left, right].map(|it| it.dependencies.as_deref().unwrap_or_default());
    let twin = |name: &str| right.iter().find(|it| &*it.0 == name).map(|it| &it.1);
    let is_same = |(name, it): &(Arc<str>, Dependency)| match (it, twin(name)) {
        (Dependency::Names(left), Some(Dependency::Names(right))) => left == right,
        (Dependency::Schema(left), Some(Dependency::Schema(right))) => left.same(right),
        _ => false,
    };
    left.len() == right.len() && left.iter().all(is_same)
}

fn rule(left: &ValidationRule, right: &ValidationRule) -> bool {
    let words = |it: &ValidationRule| {
        (it.rule.clone(), it.message.clone(), it.message_expression.clone(), it.field_path.clone())
    };
    words(left) == words(right)
        && left.reason == right.reason
        && left.optional_old_self == right.optional_old_self
}
