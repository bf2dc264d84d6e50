//! Random CRDs: valid ones with a few random changes, so that most get far before the server refuses them.

use crate::random_schema::keyword;
pub(crate) use crate::random_schema::schema;
use crate::random_schema::value;
use serde_json::Map;
use serde_json::Value as Json;
use serde_json::json;

/// A small random generator (xorshift): equal seeds, equal CRDs.
pub(crate) struct Random {
    state: u64,
    /// Chance leaves names, columns and paths alone: only schemas are odd.
    calm: bool,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1, calm: false }
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) as usize % limit.max(1)
    }

    pub(crate) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// As `one_in`, but never in a calm CRD.
    fn odd(&mut self, times: usize) -> bool {
        self.one_in(times) && !self.calm
    }

    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// A CRD, mostly acceptable.
pub(crate) fn crd(random: &mut Random) -> Json {
    random.calm = random.one_in(2);
    let beta = random.odd(6);
    let mut crd = if beta { v1beta1(random) } else { v1(random) };
    for _ in 0..random.below(if random.calm { 2 } else { 3 }) {
        change(random, &mut crd);
    }
    // A text would be taken for YAML.
    if crd.is_string() { Json::Null } else { crd }
}

/// A CRD that is acceptable but for its schemas, and a changed one to replace it.
pub(crate) fn pair(random: &mut Random) -> (Json, Json) {
    random.calm = true;
    let old = v1(random);
    random.calm = false;
    let mut new = if random.one_in(4) { v1(random) } else { old.clone() };
    for _ in 0..1 + random.below(2) {
        change(random, &mut new["spec"]);
    }
    (old, new)
}

fn v1(random: &mut Random) -> Json {
    let count = if random.one_in(3) { 2 } else { 1 };
    let shared = random.one_in(3);
    let first = part(random, "schema", "jsonPath");
    let versions: Vec<Json> = (0..count)
        .map(|index| {
            let mut version =
                if shared || index == 0 { first.clone() } else { part(random, "schema", "jsonPath") };
            version["name"] = json!(if index == 0 {
                "v1"
            } else if random.odd(3) {
                *random.pick(&["v1beta1", "v1"])
            } else {
                "v2"
            });
            version["served"] = json!(!random.one_in(9));
            version["storage"] = json!((index == 0) != random.odd(9));
            if random.odd(9) {
                version["deprecated"] = json!(random.one_in(2));
                version["deprecationWarning"] =
                    json!(*random.pick(&["old", "", "a\u{7}b", "é\u{301}", "\u{200b}"]));
            }
            version
        })
        .collect();
    let mut crd = frame(random, "apiextensions.k8s.io/v1");
    crd["spec"]["versions"] = json!(versions);
    crd
}

fn v1beta1(random: &mut Random) -> Json {
    let mut crd = frame(random, "apiextensions.k8s.io/v1beta1");
    if random.one_in(2) {
        crd["spec"]["version"] = json!("v1");
    }
    if random.one_in(2) {
        crd["spec"]["preserveUnknownFields"] = json!(random.one_in(2));
    }
    if !random.one_in(3) {
        for (key, value) in part(random, "validation", "JSONPath").as_object().expect("a part") {
            crd["spec"][key] = value.clone();
        }
    }
    if random.one_in(2) {
        let first = part(random, "schema", "JSONPath");
        let versions: Vec<Json> = (0..1 + random.below(2))
            .map(|index| {
                let bare = random.one_in(2);
                let mut version = if bare { json!({}) } else { first.clone() };
                version["name"] = json!(["v1", "v2"][index]);
                version["served"] = json!(true);
                version["storage"] = json!(index == 0);
                version
            })
            .collect();
        crd["spec"]["versions"] = json!(versions);
    }
    crd
}

fn frame(random: &mut Random, api: &str) -> Json {
    let group = match random.below(if random.calm { 1 } else { 20 }) + usize::from(random.calm) * 9 {
        0 => "k8s.io",
        1 => "x.kubernetes.io",
        2 => "example",
        _ => "example.com",
    };
    let mut crd = json!({
        "apiVersion": api,
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("things.{group}")},
        "spec": {"group": group, "scope": "Namespaced", "names": {"plural": "things", "kind": "Thing"}},
    });
    if random.odd(6) {
        let values = ["https://x.y/z", "unapproved, x", "x", "/a", "https://", "http://a:b/", ""];
        crd["metadata"]["annotations"] = json!({"api-approved.kubernetes.io": *random.pick(&values)});
    }
    if random.odd(6) {
        crd["spec"]["names"]["singular"] = json!(*random.pick(&["thing", "Thing", "-x", ""]));
        crd["spec"]["names"]["shortNames"] = json!([*random.pick(&["th", "T", "9"])]);
        crd["spec"]["names"]["listKind"] = json!(*random.pick(&["ThingList", "Thing", "_x", "THINGS"]));
    }
    if random.odd(8) {
        crd["spec"]["conversion"] = conversion(random, api.ends_with("beta1"));
    }
    crd
}

fn conversion(random: &mut Random, beta: bool) -> Json {
    let urls = [
        "https://a.b/c",
        "http://a",
        "https://u@a",
        "https://a?b",
        "https://a#b",
        "a b",
        "https://",
        ":",
        "%zz",
    ];
    let mut config = json!({});
    if random.one_in(2) {
        config["url"] = json!(*random.pick(&urls));
    }
    if random.one_in(2) {
        let paths = ["/x", "x", "/", "//", "/a//b", "/A", "é"];
        config["service"] = json!({"namespace": *random.pick(&["n", ""]), "name": *random.pick(&["n", ""])});
        config["service"]["path"] = json!(*random.pick(&paths));
        config["service"]["port"] = json!(*random.pick(&[1, 0, 70000]));
    }
    if random.one_in(4) {
        config["caBundle"] = json!(*random.pick(&["YQ==", "YQ=", "!", "", "YWE="]));
    }
    let versions = json!(*random.pick(&[&["v1"][..], &["v2"], &["v1", "v1"], &[], &["v1beta1", "V"]]));
    let mut out = json!({"strategy": *random.pick(&["Webhook", "Webhook", "None", "Other", ""])});
    if beta {
        out["webhookClientConfig"] = config;
        out["conversionReviewVersions"] = versions;
    } else if !random.one_in(4) {
        out["webhook"] = json!({"clientConfig": config, "conversionReviewVersions": versions});
    }
    out
}

/// What stands in a version, or at the top.
fn part(random: &mut Random, validation: &str, path: &str) -> Json {
    let mut part = json!({});
    if !random.odd(12) {
        part[validation] = json!({"openAPIV3Schema": root(random)});
    }
    match random.below(5) {
        0 => part["subresources"] = json!({}),
        1 => part["subresources"] = json!({"status": null}),
        2 | 3 => part["subresources"] = json!({"status": {}}),
        _ => {}
    }
    if random.odd(6) {
        let paths = [".spec.a", ".status.a", "spec.a", "", ".", ".metadata.a"];
        part["subresources"]["scale"] = json!({
            "specReplicasPath": *random.pick(&paths), "statusReplicasPath": *random.pick(&paths),
            "labelSelectorPath": *random.pick(&paths),
        });
    }
    if random.odd(5) {
        part["additionalPrinterColumns"] = json!([{
            "name": *random.pick(&["a", ""]), "type": *random.pick(&["string", "date", "foo", ""]),
            "format": *random.pick(&["int32", "foo", ""]), path: *random.pick(&[".spec.a", "x", ""]),
        }]);
    }
    if random.odd(6) {
        let paths = [".spec.a", ".status.b", ".metadata.name", "", ".spec['a']", "spec", ".", ".spec", ".a"];
        let fields: Vec<Json> =
            (0..1 + random.below(10)).map(|_| json!({"jsonPath": *random.pick(&paths)})).collect();
        part["selectableFields"] = json!(fields);
    }
    part
}

fn root(random: &mut Random) -> Json {
    let mut root = json!({"type": "object", "properties": {}});
    for name in ["spec", "status"] {
        root["properties"][name] = schema(random, 3);
    }
    if random.one_in(4) {
        root["properties"]["metadata"] = json!({"type": "object"});
        if random.one_in(2) {
            root["properties"]["metadata"]["properties"] =
                json!({*random.pick(&["name", "generateName", "labels"]): {"type": "string"}});
        }
    }
    if random.one_in(3) {
        keyword(random, &mut root, 2);
    }
    root
}

/// Changes something somewhere: removes, retypes, renames, moves.
fn change(random: &mut Random, value: &mut Json) {
    let target = descend(random, value);
    match random.below(9) {
        0 => *target = self::value(random, 2),
        1 | 2 => {
            if let Json::Object(fields) = target {
                let keys: Vec<String> = fields.keys().cloned().collect();
                if !keys.is_empty() {
                    fields.remove(random.pick(&keys));
                }
            }
        }
        3 | 4 => {
            if let Json::Object(fields) = target {
                let extra = [
                    "x-kubernetes-preserve-unknown-fields",
                    "x-foo",
                    "Type",
                    "status",
                    "validation",
                    "subresources",
                    "JSONPath",
                    "jsonPath",
                    "openAPIV3Schema",
                    "annotations",
                    "readOnly",
                    "version",
                    "name",
                ];
                fields.insert((*random.pick(&extra)).to_owned(), self::value(random, 2));
            }
        }
        5 | 6 if target.is_object() => keyword(random, target, 1),
        7 => *target = json!(null),
        _ => {
            if let Json::Object(fields) = target {
                let keys: Vec<String> = fields.keys().cloned().collect();
                if !keys.is_empty() {
                    let (from, to) = (random.pick(&keys).clone(), random.pick(&keys).clone());
                    let moved = fields[&from].clone();
                    fields.insert(to, moved);
                }
            }
        }
    }
}

fn descend<'v>(random: &mut Random, value: &'v mut Json) -> &'v mut Json {
    if random.one_in(7) {
        return value;
    }
    let size = value.as_object().map(Map::len).or(value.as_array().map(Vec::len)).unwrap_or_default();
    if size == 0 {
        return value;
    }
    let at = random.below(size);
    let child = match value {
        Json::Object(fields) => fields.values_mut().nth(at),
        Json::Array(items) => items.get_mut(at),
        _ => None,
    };
    descend(random, child.expect("a child"))
}
