//! Shapes of Rust types, each derived by kube alone and with `KopfCrd`: what differs is the stanza and the mended traps.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kopf_crd::kopf::Contract;
use kube::CustomResourceExt;
use serde_json::Value;
use std::collections::BTreeMap;

/// A shape, derived both ways.
pub(crate) struct Shape {
    /// Its name.
    pub(crate) name: &'static str,
    /// By kube alone; none where kube panics or makes something that cannot be printed.
    pub(crate) plain: fn() -> CustomResourceDefinition,
    /// With `KopfCrd`.
    pub(crate) ours: fn() -> CustomResourceDefinition,
    /// What its attributes amount to.
    pub(crate) contract: fn() -> Result<Contract, String>,
}

/// Declares shapes: the types beside the spec, the spec's attributes, its fields, and both derives' attributes.
macro_rules! shapes {
    ($($name:ident: derive($($derive:ident),*) kube($($kube:tt)*) kopf($($kopf:tt)*)
       types { $($item:item)* } $(#[$meta:meta])* spec { $($fields:tt)* })*) => {
        /// All shapes.
        pub(crate) const ALL: &[Shape] = &[$(Shape {
            name: stringify!($name),
            plain: || <$name::plain::Root as CustomResourceExt>::crd(),
            ours: || <$name::ours::Root as CustomResourceExt>::crd(),
            contract: kopf_crd::types::contract_of::<$name::ours::Root>,
        }),*];
        $(mod $name {
            shapes!(@module plain, (), { $($item)* }, {
                #[derive(kube::CustomResource, Clone, Debug, serde::Serialize, serde::Deserialize, $($derive),*)]
                #[kube(group = "example.com", version = "v1", kind = "Widget", root = "Root", namespaced, $($kube)*)]
                $(#[$meta])* pub(crate) struct Spec { $($fields)* }
            });
            shapes!(@module ours, (), { $($item)* }, {
                #[derive(kube::CustomResource, kopf_crd::KopfCrd, Clone, Debug, serde::Serialize, serde::Deserialize, $($derive),*)]
                #[kube(group = "example.com", version = "v1", kind = "Widget", root = "Root", namespaced, schema = "manual", $($kube)*)]
                #[kopf($($kopf)*)]
                $(#[$meta])* pub(crate) struct Spec { $($fields)* }
            });
        })*
    };
    (@module $name:ident, (), { $($item:item)* }, { $($spec:tt)* }) => {
        #[allow(dead_code, unused_imports, private_interfaces)]
        pub(crate) mod $name {
            use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
            use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
            use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
            use kopf_crd::{Kopf, KopfState};
            use kube::KubeSchema;
            use kube::core::Rule;
            use schemars::JsonSchema;
            use serde::{Deserialize, Serialize};
            use serde_json::{Map, Value};
            use std::collections::{BTreeMap, BTreeSet, HashMap};
            $($item)*
            $($spec)*
        }
    };
}

shapes! {
    no_status: derive(JsonSchema) kube() kopf() types {} spec { pub size: i32 }

    plain_status: derive(JsonSchema) kube(status = "Status") kopf() types {
        /// What happened.
        #[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub(crate) struct Status {
            /// Where it is.
            current_phase: Option<String>,
        }
    } spec { pub size: i32 }

    open_status: derive(JsonSchema) kube(status = "Status") kopf(status = "open") types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Status { phase: Option<String> }
    } spec { pub size: i32 }

    open_status_undeclared: derive(JsonSchema) kube() kopf(status = "open") types {} spec { pub size: i32 }

    structured_status: derive(JsonSchema) kube(status = "Status") kopf(result(create_fn)) types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "lowercase")]
        enum Outcome { Success, Failure }
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Status { result: Option<Outcome> }
    } spec { pub size: i32 }

    required_status: derive(JsonSchema) kube(status = "Status") kopf() types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Status { phase: String, inner: Inner }
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        struct Inner { count: i64 }
    } spec { pub size: i32 }

    defaults: derive(JsonSchema) kube(status = "Status") kopf() types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        #[serde(default)]
        pub(crate) struct Status { phase: String, ready: bool }
        impl Default for Status {
            fn default() -> Self { Self { phase: "Pending".to_owned(), ready: false } }
        }
        fn three() -> i32 { 3 }
    } spec { #[serde(default = "three")] pub size: i32, #[serde(default)] pub label: String }

    unit_enum: derive(JsonSchema) kube(status = "Status") kopf() types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        enum Mode {
            /// Goes fast.
            Fast,
            /// Goes slow.
            Slow,
        }
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Status { mode: Option<Mode> }
    } spec { pub mode: Mode, pub maybe: Option<Mode> }

    external_enum: derive(JsonSchema) kube(status = "Status") kopf() types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        enum Source { Git { url: String }, Path(String) }
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Status { source: Option<Source> }
    } spec { pub source: Source, pub maybe: Option<Source> }

    internal_enum: derive(JsonSchema) kube(status = "Status") kopf() types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "kind")]
        enum Source { Git { url: String }, Path { path: String } }
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Status { phase: Option<String> }
    } spec { pub size: i32 }

    adjacent_enum: derive(JsonSchema) kube(status = "Status") kopf() types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "kind", content = "value")]
        enum Source { Git(Url), Other(Url) }
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        struct Url { url: String }
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Status { phase: Option<String> }
    } spec { pub size: i32 }

    untagged_enum: derive(JsonSchema) kube(status = "Status") kopf() types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        #[serde(untagged)]
        enum Source { Git { url: String }, Path { path: String } }
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Status { phase: Option<String> }
    } spec { pub source: Source }

    status_is_external_enum: derive(JsonSchema) kube(status = "Status") kopf() types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) enum Status { Ready { url: String }, Failed { reason: String } }
    } spec { pub size: i32 }

    status_is_untagged_enum: derive(JsonSchema) kube(status = "Status") kopf() types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        #[serde(untagged)]
        pub(crate) enum Status { Ready { url: String }, Failed { reason: String } }
    } spec { pub size: i32 }

    flatten: derive(JsonSchema) kube(status = "Status") kopf() types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        struct More { label: Option<String> }
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Status { phase: Option<String>, #[serde(flatten)] more: More }
    } spec { pub size: i32, #[serde(flatten)] pub more: More }

    flatten_map: derive(JsonSchema) kube(status = "Status") kopf() types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Status { phase: Option<String>, #[serde(flatten)] rest: BTreeMap<String, Value> }
    } spec { pub size: i32 }

    maps: derive(JsonSchema) kube(status = "Status") kopf() types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        struct Point { x: i32 }
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Status { points: Option<BTreeMap<String, Point>>, open: Option<Map<String, Value>> }
    } spec {
        pub labels: BTreeMap<String, String>,
        pub counts: HashMap<String, u8>,
        pub nested: BTreeMap<String, BTreeMap<String, Value>>,
        pub lists: BTreeMap<String, Vec<Point>>,
    }

    status_is_map_of_structs: derive(JsonSchema) kube(status = "BTreeMap<String, Point>") kopf() types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Point { x: i32 }
    } spec { pub size: i32 }

    status_is_map_of_strings: derive(JsonSchema) kube(status = "BTreeMap<String, String>") kopf() types {} spec { pub size: i32 }

    raw_values: derive(JsonSchema) kube(status = "Status") kopf() types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Status { extra: Option<Value>, items: Option<Vec<Value>>, by_name: Option<BTreeMap<String, Option<Value>>> }
    } spec { pub anything: Value, pub maybe: Option<Value> }

    kopf_declared_as_map: derive(JsonSchema) kube(status = "Status") kopf(result(create_fn)) types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Status {
            kopf: Option<BTreeMap<String, Value>>,
            #[schemars(extend("x-kubernetes-preserve-unknown-fields" = true))]
            create_fn: Option<BTreeMap<String, Value>>,
        }
    } spec { pub size: i32 }

    kopf_declared_as_state: derive(JsonSchema) kube(status = "Status") kopf() types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Status { phase: Option<String>, kopf: Option<KopfState> }
    } spec { pub size: i32 }

    kopf_declared_by_hand: derive(JsonSchema) kube(status = "Status") kopf() types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        struct Record { started: String, retries: u32, success: bool }
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        struct Mine { progress: BTreeMap<String, Record>, dummy: String }
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Status { kopf: Option<Mine> }
    } spec { pub size: i32 }

    nested_generics: derive(JsonSchema) kube(status = "Outer<Inner<i32>>") kopf() types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Outer<T> { inner: Option<T>, list: Vec<T> }
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Inner<T> { value: T }
    } spec { pub outer: Outer<Inner<String>> }

    wrapped_status: derive(JsonSchema) kube(status = "Kopf<Status>") kopf(round_trip, result(create_fn)) types {
        #[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct Status { phase: String }
    } spec { pub size: i32 }

    foreign_status: derive(JsonSchema) kube(status = "Condition") kopf() types {} spec { pub size: i32 }

    integers: derive(JsonSchema) kube(status = "Status") kopf() types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Status { observed: Option<u64>, list: Option<Vec<u16>> }
    } spec {
        pub a: u8, pub b: u16, pub c: u32, pub d: u64, pub e: i8, pub f: i16, pub g: i32, pub h: i64, pub i: usize, pub j: isize,
        pub k: std::num::NonZeroU32, #[schemars(range(min = 2, max = 5))] pub l: u8, pub m: f32, pub n: f64, pub o: Option<u32>,
    }

    int_or_string: derive(JsonSchema) kube(status = "Status") kopf() types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Status { port: Option<IntOrString>, used: Option<Quantity> }
    } spec { pub port: IntOrString, pub limit: Quantity, pub limits: BTreeMap<String, Quantity> }

    time: derive(JsonSchema) kube(status = "Status") kopf() types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Status { last: Option<Time>, conditions: Option<Vec<Condition>> }
    } spec { pub after: Time, pub every: Option<std::time::Duration> }

    validated: derive(JsonSchema) kube(status = "Status") kopf() types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Status { #[schemars(regex(pattern = "^[a-z]+$"))] phase: Option<String> }
    } spec {
        #[schemars(length(min = 1, max = 63), regex(pattern = "^[a-z]+$"))] pub name: String,
        #[schemars(range(min = 1, max = 9))] pub size: i32,
        #[schemars(email)] pub email: Option<String>,
        #[schemars(length(min = 1, max = 3))] pub list: Vec<String>,
    }

    cel_rules: derive(KubeSchema) kube(status = "Status") kopf(result(create_fn)) types {
        #[derive(Clone, Debug, Serialize, Deserialize, KubeSchema)]
        #[x_kube(validation = "!has(self.phase) || self.phase != 'Bad'")]
        pub(crate) struct Status {
            #[x_kube(validation = Rule::new("self != ''").message("no empty phase"))] phase: Option<String>,
        }
    } #[x_kube(validation = Rule::new("self.size > 0").message("a size is positive"))] spec {
        #[x_kube(validation = "self < 100")] pub size: i32,
        #[x_kube(merge_strategy = kube::core::ListMerge::Set)] pub tags: Vec<String>,
    }

    no_spec: derive(JsonSchema) kube(no_spec, status = "Status") kopf() types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Status { phase: Option<String> }
    } spec { pub size: i32, pub label: Option<String> }

    documented_root: derive(JsonSchema) kube(doc = "A widget.\n\nWith a story.", attr = "doc = \"And more.\"", derive = "PartialEq", status = "Status", scale(spec_replicas_path = ".spec.size", status_replicas_path = ".status.size"), printcolumn(name = "Size", type_ = "integer", json_path = ".spec.size"), selectable = ".spec.label", category = "all", shortname = "wd", annotation("a", "b"), label("c", "d")) kopf() types {
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Status { size: Option<i32> }
    } #[derive(PartialEq)] spec { pub size: i32, pub label: String }

    denied_fields: derive(JsonSchema) kube(status = "Status") kopf() types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct Status { phase: Option<String> }
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        struct Empty {}
    } #[serde(deny_unknown_fields)] spec { pub size: i32, pub list: Vec<i32> }

    denied_empty_status: derive(JsonSchema) kube(status = "Status") kopf() types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct Status {}
    } spec { pub size: i32 }

    other_places: derive(JsonSchema) kube(status = "Status") kopf(
        name = "my-op", field = "status.{name}.deep.progress", touch_field = "status.touched", diffbase_field = "status.last",
        result(create_fn = "integer", "resize/spec.size" = "string", delete_fn = "array", update_fn = Outcome),
        preserve("status.notes", "spec.extra", "status[\"a/b\"].c"),
    ) types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Outcome { done: bool, count: u16 }
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Status { phase: Option<String> }
    } spec { pub size: i32 }

    in_annotations: derive(JsonSchema) kube(status = "Status") kopf(storages = "smart", prefix = "my-op.example.com", result(create_fn)) types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Status { phase: Option<String> }
    } spec { pub size: i32 }

    typed_result: derive(JsonSchema) kube(status = "Status") kopf(result(create_fn)) types {
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        struct Outcome { done: bool, count: Option<u32> }
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub(crate) struct Status { create_fn: Option<Outcome>, phase: String }
    } spec { pub size: i32 }
}

/// The leaves of a value by their paths; an empty mapping or list is a leaf.
fn leaves(value: &Value, path: &str, found: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            map.iter().for_each(|(key, it)| leaves(it, &format!("{path}/{key}"), found));
        }
        Value::Array(items) if !items.is_empty() => {
            items.iter().enumerate().for_each(|(at, it)| leaves(it, &format!("{path}/{at}"), found));
        }
        _ => drop(found.insert(path.to_owned(), value.clone())),
    }
}

fn json(crd: &CustomResourceDefinition) -> Value {
    serde_json::to_value(crd).expect("a CRD is plain data")
}

/// What the second has otherwise than the first, one line a leaf.
fn difference(plain: &Value, ours: &Value) -> Vec<String> {
    let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
    leaves(plain, "", &mut before);
    leaves(ours, "", &mut after);
    let gone =
        before.iter().filter(|(path, it)| after.get(*path) != Some(it)).map(|(path, it)| (path, '-', it));
    let come =
        after.iter().filter(|(path, it)| before.get(*path) != Some(it)).map(|(path, it)| (path, '+', it));
    let mut lines: Vec<_> = gone.chain(come).collect();
    lines.sort_by(|one, two| (one.0, two.1).cmp(&(two.0, one.1)));
    lines.into_iter().map(|(path, sign, it)| format!("{sign} {path}: {it}")).collect()
}

#[test]
fn shapes_differ_from_kubes_own_by_the_stanza_and_the_mended_traps() {
    for shape in ALL {
        let (plain, ours) = (json(&(shape.plain)()), json(&(shape.ours)()));
        let contract = (shape.contract)().expect("the attributes make sense");
        let mut lines = vec![contract.describe()];
        lines.extend(difference(&plain, &ours));
        insta::assert_snapshot!(shape.name, lines.join("\n"));
    }
}

#[test]
fn the_judge_keeps_every_slot_of_every_shape() {
    for shape in ALL {
        let contract = (shape.contract)().expect("the attributes make sense");
        if let Err(lost) = kopf_crd::check_crd(&(shape.ours)(), &contract) {
            panic!("{}: {lost}", shape.name);
        }
    }
}

#[test]
fn the_judge_loses_what_kube_alone_derives() {
    const OPEN_ALREADY: [&str; 2] = ["flatten_map", "kopf_declared_as_state"];
    for shape in ALL {
        let contract = (shape.contract)().expect("the attributes make sense");
        let kept = kopf_crd::check_crd(&(shape.plain)(), &contract).is_ok();
        assert_eq!(kept, OPEN_ALREADY.contains(&shape.name), "{}", shape.name);
    }
}

#[test]
fn a_foreign_crd_is_opened_by_the_library() {
    for shape in ALL {
        let contract = (shape.contract)().expect("the attributes make sense");
        let mut crd = (shape.plain)();
        kopf_crd::preserve(&mut crd, &contract);
        // A result that the status declares is given the type that it declares only by the derive.
        if let Err(lost) = kopf_crd::check_crd(&crd, &contract) {
            panic!("{}: {lost}", shape.name);
        }
    }
}
