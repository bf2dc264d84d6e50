//! Random schemas, structural but for a few odd keywords.

use crate::random_crd::Random;
use serde_json::Map;
use serde_json::Value as Json;
use serde_json::json;

const NAMES: [&str; 12] = [
    "a",
    "b",
    "spec",
    "status",
    "kopf",
    "metadata",
    "kind",
    "apiVersion",
    "name",
    "generateName",
    "x.y",
    "items",
];
const TYPES: [&str; 9] =
    ["object", "object", "object", "string", "integer", "number", "boolean", "array", "null"];
const PATTERNS: [&str; 16] = [
    "^a$",
    "a{2,3}",
    "(",
    "[a-",
    "(?=x)",
    "\\d+",
    "a{1001}",
    "\\pL",
    "\\p{Foo}",
    "[[:alpha:]]",
    "(?i)x",
    "a**",
    "\\Qx\\E",
    "^[()/[\\]]+$",
    "\\1",
    "(?P<n>a)",
];
const FORMATS: [&str; 10] =
    ["date-time", "int32", "int64", "uri", "float", "foo", "k8s-short-name", "byte", "double", "ip"];

/// A schema that is structural, but for what chance adds.
pub(crate) fn schema(random: &mut Random, depth: usize) -> Json {
    let ty =
        if depth == 0 { *random.pick(&["string", "integer", "boolean"]) } else { *random.pick(&TYPES[..8]) };
    let mut out = json!({"type": ty});
    if ty == "array" && !random.one_in(12) {
        out["items"] = schema(random, depth - 1);
        list(random, &mut out);
    }
    if ty == "object" {
        match random.below(5) {
            0 => out["additionalProperties"] = schema(random, depth - 1),
            1 => out["x-kubernetes-preserve-unknown-fields"] = json!(true),
            2 if random.one_in(4) => {
                out["x-kubernetes-embedded-resource"] = json!(true);
                out["x-kubernetes-preserve-unknown-fields"] = json!(true);
            }
            _ => {
                let mut properties = Map::new();
                for _ in 0..1 + random.below(3) {
                    let name =
                        if random.one_in(5) { *random.pick(&NAMES) } else { *random.pick(&NAMES[..2]) };
                    properties.insert(name.to_owned(), schema(random, depth - 1));
                }
                out["properties"] = Json::Object(properties);
            }
        }
    }
    if random.one_in(7) {
        keyword(random, &mut out, depth);
    }
    out
}

fn list(random: &mut Random, out: &mut Json) {
    if random.one_in(3) {
        let list = *random.pick(&["atomic", "set", "map", "map", "foo"]);
        out["x-kubernetes-list-type"] = json!(list);
        if list == "map" || random.one_in(6) {
            let key = *random.pick(&["a", "b"]);
            out["x-kubernetes-list-map-keys"] = json!([key]);
            if !random.one_in(4) {
                out["items"] = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}});
                if random.one_in(2) {
                    out["items"]["required"] = json!(["a"]);
                }
            }
        }
        if list == "set" && random.one_in(2) {
            out["items"]["x-kubernetes-map-type"] = json!(*random.pick(&["atomic", "granular", "foo"]));
        }
    }
}

/// Adds a keyword, wherever it makes sense.
pub(crate) fn keyword(random: &mut Random, out: &mut Json, depth: usize) {
    let below = |random: &mut Random| schema(random, depth.saturating_sub(1));
    match random.below(36) {
        0 => out["nullable"] = json!(random.one_in(2)),
        1 => out["default"] = value(random, 3),
        2 => out["enum"] = json!([value(random, 1), value(random, 1)]),
        3 => out["pattern"] = json!(*random.pick(&PATTERNS)),
        4 => out["format"] = json!(*random.pick(&FORMATS)),
        5 => out["x-kubernetes-int-or-string"] = json!(true),
        6 => {
            *out = json!({"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}]});
            if random.one_in(3) {
                *out = json!({"x-kubernetes-int-or-string": true, "allOf": [{"anyOf": [{"type": "integer"}, {"type": "string"}]}, {"pattern": "("}]});
            }
            if random.one_in(3) {
                out["anyOf"] = json!([{"type": "string"}, {"type": "integer"}]);
            }
        }
        7 | 8 => {
            out[*random.pick(&["anyOf", "allOf", "oneOf"])] = json!([junctor(random, 2), junctor(random, 1)])
        }
        9 => out["not"] = junctor(random, 2),
        10 => out["required"] = json!([*random.pick(&NAMES)]),
        11 => out["uniqueItems"] = json!(random.one_in(2)),
        12 => {
            out["items"] = random
                .pick(&[json!([{"type": "string"}]), json!([]), json!(true), json!({}), json!("x")])
                .clone()
        }
        13 => {
            out["additionalProperties"] =
                random.pick(&[json!(true), json!(false), json!({}), json!({"type": "string"})]).clone()
        }
        14 => out["x-kubernetes-preserve-unknown-fields"] = json!(random.one_in(2)),
        15 => out["x-kubernetes-embedded-resource"] = json!(true),
        16 => out["x-kubernetes-map-type"] = json!(*random.pick(&["atomic", "granular", "foo"])),
        17 => out["x-kubernetes-list-type"] = json!(*random.pick(&["atomic", "set", "map"])),
        18 => {
            out["x-kubernetes-list-map-keys"] =
                random.pick(&[json!(["a"]), json!([]), json!(["a", "a"])]).clone()
        }
        19 => out["$ref"] = json!(*random.pick(&["#/x", ""])),
        20 => out["id"] = json!(*random.pick(&["x", ""])),
        21 => out["$schema"] = json!("x"),
        22 => out["definitions"] = json!({"a": below(random)}),
        23 => {
            out["dependencies"] =
                random.pick(&[json!({"a": ["b"]}), json!({}), json!({"a": {"$ref": "x"}})]).clone()
        }
        24 => out["patternProperties"] = json!({"a": below(random)}),
        25 => out["additionalItems"] = random.pick(&[json!(true), json!({})]).clone(),
        26 => out["externalDocs"] = json!({"url": "x", "foo": 1}),
        27 => out["description"] = json!("x"),
        28 => out["title"] = json!("x"),
        29 => out["type"] = json!(*random.pick(&["null", "foo", "", "array", "object"])),
        30 => out["maximum"] = random.pick(&[json!(1), json!(1.5), json!("1")]).clone(),
        31 => {
            out["minLength"] =
                random.pick(&[json!(1), json!(1.5), json!(-1), json!(3_000_000_000_u64)]).clone()
        }
        32 => out["x-kubernetes-validations"] = rules(random),
        _ => out["multipleOf"] = json!(*random.pick(&[0.0, 0.5, 2.0])),
    }
}

fn rules(random: &mut Random) -> Json {
    let rules = [
        "true",
        "self == self",
        "self == oldSelf",
        "has(self.a)",
        "self.a == self.b",
        "size(self) < 3",
        "self.x",
        "",
        "1",
        "(",
        "self.all(x, x == x)",
        "a\n==b",
        "self.metadata.name == 'x'",
        "self > 1",
    ];
    let mut rule = json!({"rule": *random.pick(&rules)});
    if random.one_in(3) {
        rule["message"] = json!(*random.pick(&["", " ", "a\nb", "x"]));
        rule["messageExpression"] = json!(*random.pick(&["", " ", "'x'", "1", "self"]));
        rule["reason"] = json!(*random.pick(&["FieldValueInvalid", "x"]));
        rule["fieldPath"] = json!(*random.pick(&["", " ", ".a", ".x", "['a']", ".a.b"]));
        rule["optionalOldSelf"] = json!(random.one_in(2));
    }
    json!([rule])
}

/// A schema in a junctor: mostly value validations, which is all that may stand there.
fn junctor(random: &mut Random, depth: usize) -> Json {
    let mut out = match random.below(6) {
        0 if depth > 0 => json!({"properties": {*random.pick(&NAMES): junctor(random, depth - 1)}}),
        1 if depth > 0 => json!({"items": junctor(random, depth - 1)}),
        2 if depth > 0 => json!({"not": junctor(random, depth - 1)}),
        3 => json!({"required": [*random.pick(&NAMES)]}),
        4 => json!({"minimum": 1}),
        _ => json!({}),
    };
    if random.one_in(4) {
        keyword(random, &mut out, depth);
    }
    out
}

pub(crate) fn value(random: &mut Random, depth: usize) -> Json {
    match random.below(if depth == 0 { 7 } else { 10 }) {
        0 => json!(null),
        1 => json!(true),
        2 => json!(1),
        3 => json!(1.5),
        4 => json!("x"),
        5 => json!(""),
        6 => json!(9_007_199_254_740_993_i64),
        7 => json!([value(random, depth - 1)]),
        8 => json!({}),
        _ => json!({*random.pick(&NAMES): value(random, depth - 1), "a": value(random, depth - 1)}),
    }
}
