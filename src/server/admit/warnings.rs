//! Warnings beside an accepted CRD.
//!
//! Mirrors `WarningsOnCreate` of registry/customresourcedefinition/strategy.go, and the formats that
//! apiserver/validation/formats.go knows.

use super::options;
use super::view::View;
use crate::crd::Crd;
use crate::schema::Keywords;
use crate::schema::Schema;
use crate::server::validate::formats;
use std::cell::RefCell;

const WARNED_OF: Keywords = Keywords::of(&["format", "x-kubernetes-list-type"]);

/// The warnings, sorted.
pub(super) fn of(crd: &Crd) -> Vec<String> {
    let formats = RefCell::new(Vec::new());
    let sets = RefCell::new(Vec::new());
    for schema in View::of(crd).schemas() {
        options::has(schema, WARNED_OF, &|node: &Schema| {
            if !is_known(&node.format, &node.ty) {
                formats.borrow_mut().push(format!("unrecognized format \"{}\"", node.format));
            }
            let item = node.item().filter(|_| node.list_type.as_deref() == Some("set"));
            if let Some(item) = item.filter(|it| matches!(&*it.ty, "object" | "array")) {
                sets.borrow_mut().push(format!(
                    "x-kubernetes-list-type: set for items of type \"{}\" is not supported by server-side apply or \
                     CEL validation rules",
                    item.ty
                ));
            }
            false
        });
    }
    let (mut out, mut sets) = (formats.into_inner(), sets.into_inner());
    sets.sort();
    sets.dedup();
    out.append(&mut sets);
    out.sort();
    out
}

/// Whether the server looks at a format of a type; it warns of every other, each time it meets it.
fn is_known(format: &str, ty: &str) -> bool {
    match ty {
        _ if format.is_empty() => true,
        "" | "string" => formats::is_known(format),
        "integer" => matches!(format, "int32" | "int64"),
        "number" => matches!(format, "float" | "double"),
        _ => false,
    }
}
