//! Decoding and accepting CRDs, against the answers of the API server's own code.

use kopf_crd::crd;
use kopf_crd::schema;
use kopf_crd::schema::Keywords;
use kopf_crd::schema::Suggestion;
use kopf_crd::server::FieldError;
use kopf_crd::server::admit;
use kopf_crd::server::admit::Refusal;
use kopf_crd::source::Span;
use kopf_crd::yaml::Entry;
use kopf_crd::yaml::Node;
use kopf_crd::yaml::Value;
use serde_json::Value as Json;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;

fn vectors(name: &str) -> Vec<Json> {
    let path = format!("{}/tests/vectors/apiserver/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// The CRD of a case: a JSON object, or YAML text.
fn node(crd: &Json) -> Option<Node> {
    match crd {
        #[cfg(feature = "check")]
        Json::String(text) => kopf_crd::yaml::parse(text).documents.into_iter().next().map(|it| it.root),
        #[cfg(not(feature = "check"))]
        Json::String(_) => None,
        _ => Some(kopf_crd::yaml::json::parse(&crd.to_string()).expect("JSON").0),
    }
}

/// The cases whose CRD can be read here, each with the answer.
fn cases() -> Vec<(String, Node, Json)> {
    let answers: BTreeMap<String, Json> = vectors("expected.jsonl")
        .into_iter()
        .map(|it| (it["id"].as_str().expect("an id").to_owned(), it))
        .collect();
    let pair = |it: Json| {
        let id = it["id"].as_str().expect("an id").to_owned();
        let answer = answers[&id].clone();
        let readable = answer["crd"]["yaml_error"].is_null();
        node(&it["crd"]).filter(|_| readable).map(|node| (id, node, answer))
    };
    vectors("cases.jsonl").into_iter().filter_map(pair).collect()
}

fn texts(value: &Json) -> Vec<String> {
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().map(|it| it.as_str().expect("text").to_owned()).collect()
}

#[test]
fn crds_are_decoded_as_the_server_decodes_them() {
    let mut wrong = Vec::new();
    let cases = cases();
    assert!(cases.len() > 400, "only {} cases", cases.len());
    for (id, node, answer) in &cases {
        let read = crd::read(node);
        let said = &answer["crd"];
        let message = read.undecodable.as_ref().map(|it| it.message.as_str());
        if message != said["decode_error"].as_str() {
            wrong.push(format!("{id}: decode error {message:?}, the server: {}", said["decode_error"]));
        }
        if message.is_some() {
            continue;
        }
        let mut strict = read.strict_errors();
        strict.sort();
        let mut expected = texts(&said["strict_errors"]);
        expected.sort();
        if strict != expected {
            wrong.push(format!("{id}: strict errors {strict:?}, the server: {expected:?}"));
        }
        let crd = read.crd.expect("a mapping");
        let versions: Vec<String> = crd.versions.iter().map(|it| it.name.clone()).collect();
        if versions != texts(&said["versions"]) {
            wrong.push(format!("{id}: versions {versions:?}, the server: {}", said["versions"]));
        }
        let storage = crd.versions.iter().rfind(|it| it.storage).map(|it| it.name.as_str());
        if storage != said["storage_version"].as_str() {
            wrong.push(format!("{id}: stored in {storage:?}, the server: {}", said["storage_version"]));
        }
        for version in &crd.versions {
            let expected = said["status_subresource"][&version.name].as_bool();
            if expected != Some(version.status_subresource) {
                wrong.push(format!("{id}: {}: the status subresource is {expected:?}", version.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// What the reader suggests for the first oddity of a v1 CRD whose `spec` is this.
fn suggestion(spec: Json) -> String {
    let crd = serde_json::json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": spec});
    let read = crd::read(&node(&crd).expect("JSON"));
    let unknown = read.unknown.first().map(|it| (it.path.clone(), it.suggestion));
    let mismatch = read.mismatches.first().map(|it| (it.path.clone(), it.suggestion));
    let (path, suggestion) = unknown.or(mismatch).expect("something is odd");
    match suggestion {
        Some(Suggestion::Misspelt(name)) => format!("{path}: write {name}"),
        Some(Suggestion::Misplaced { name, belongs }) => format!("{path}: {name} belongs {belongs}"),
        Some(Suggestion::Foreign { instead }) => format!("{path}: {instead}"),
        None => path,
    }
}

#[test]
fn what_was_meant_is_suggested() {
    let status = |schema: Json| {
        let root = serde_json::json!({"type": "object", "properties": {"status": schema}});
        serde_json::json!({"versions": [{"name": "v1", "schema": {"openAPIV3Schema": root}}]})
    };
    let keep = "x-kubernetes-preserve-unknown-fields";
    let at = "spec.versions[0].schema.openAPIV3Schema.properties.status";
    for name in [
        "x-kubernetes-preserve-unknown-field",
        "x_kubernetes_preserve_unknown_fields",
        "xKubernetesPreserveUnknownFields",
        "x-preserve-unknown-fields",
        "preserveUnknownFields",
        "x-kubernetes-Preserve-unknown-fields",
        "x-kubernetes-preserve-unkown-fields",
        "X-Kubernetes-Preserve-Unknown-Fields",
    ] {
        assert_eq!(suggestion(status(serde_json::json!({name: true}))), format!("{at}.{name}: write {keep}"));
    }
    let cases = [
        (
            status(serde_json::json!({"properties": {keep: true}})),
            format!("{at}.properties.{keep}: {keep} belongs one level up, beside `properties`"),
        ),
        (status(serde_json::json!({"propertes": {}})), format!("{at}.propertes: write properties")),
        (status(serde_json::json!({"requird": []})), format!("{at}.requird: write required")),
        (status(serde_json::json!({"const": 1})), format!("{at}.const: write `enum` with one value")),
        (
            status(serde_json::json!({"kopf": {"type": "object"}})),
            format!("{at}.kopf:  belongs below `properties`"),
        ),
        (status(serde_json::json!({"zzzz": 1})), format!("{at}.zzzz")),
        (
            status(serde_json::json!({"type": ["string", "null"]})),
            format!("{at}.type: write one type, and `nullable: true` if null is another"),
        ),
        (
            serde_json::json!({keep: true}),
            format!(
                "spec.{keep}: {keep} belongs in a node of the schema below `openAPIV3Schema`, beside its `type`"
            ),
        ),
        (
            serde_json::json!({"validation": {}}),
            "spec.validation: schema belongs in every entry of `spec.versions`, as `schema`".to_owned(),
        ),
        (
            serde_json::json!({"conversion": {"conversionReviewVersions": []}}),
            "spec.conversion.conversionReviewVersions: conversionReviewVersions belongs below `conversion.webhook`"
                .to_owned(),
        ),
        (
            serde_json::json!({"subresources": {}}),
            "spec.subresources: subresources belongs in every entry of `spec.versions`".to_owned(),
        ),
        (
            serde_json::json!({"versions": [{"subresource": {}}]}),
            "spec.versions[0].subresource: write subresources".to_owned(),
        ),
        (
            serde_json::json!({"versions": [{"status": {}}]}),
            "spec.versions[0].status: subresources belongs below `subresources`".to_owned(),
        ),
        (
            serde_json::json!({"versions": [{"openAPIV3Schema": {}}]}),
            "spec.versions[0].openAPIV3Schema: openAPIV3Schema belongs below `schema` of a version"
                .to_owned(),
        ),
        (
            serde_json::json!({"versions": [{"schema": {"openapiV3Schema": {}}}]}),
            "spec.versions[0].schema.openapiV3Schema: write openAPIV3Schema".to_owned(),
        ),
        (
            serde_json::json!({"versions": [{"additionalPrinterColumns": [{"JSONPath": ".a"}]}]}),
            "spec.versions[0].additionalPrinterColumns[0].JSONPath: write jsonPath".to_owned(),
        ),
        (
            serde_json::json!({"versions": [{"schema": {keep: true}}]}),
            format!(
                "spec.versions[0].schema.{keep}: {keep} belongs in a node of the schema below `openAPIV3Schema`, beside its `type`"
            ),
        ),
    ];
    for (spec, wanted) in cases {
        assert_eq!(suggestion(spec), wanted);
    }
}

#[test]
fn typos_are_seen_where_the_server_sees_none() {
    let inner = serde_json::json!({"type": "object", "x-foo": 1, "properties": {"a": {"x-bar": 2}}});
    let root = serde_json::json!({"items": inner, "additionalProperties": inner, "anyOf": [inner]});
    let read = schema::read_alone(&node(&root).expect("JSON"));
    let mut seen: Vec<String> = read.unknown.iter().map(|it| format!("{} {}", it.path, it.silent)).collect();
    seen.sort();
    let wanted = [
        "additionalProperties.properties.a.x-bar true",
        "additionalProperties.x-foo true",
        "anyOf[0].properties.a.x-bar false",
        "anyOf[0].x-foo false",
        "items.properties.a.x-bar true",
        "items.x-foo true",
    ];
    assert_eq!(seen, wanted);
}

/// What walks rely on to pass over nodes.
#[test]
fn a_schema_knows_the_keywords_below_it() {
    const DEFAULT: Keywords = Keywords::of(&["default"]);
    let meets = |schema: Json, wanted: Keywords| {
        schema::read_alone(&Node::from_json(&schema)).schema.within.meets(wanted)
    };
    let nested = [
        "items",
        "additionalItems",
        "additionalProperties",
        "not",
        "properties",
        "patternProperties",
        "definitions",
        "dependencies",
        "allOf",
        "oneOf",
        "anyOf",
    ];
    for keyword in nested {
        let wrap = |schema: Json| match keyword {
            "allOf" | "oneOf" | "anyOf" => json!({ keyword: [{}, schema] }),
            "properties" | "patternProperties" | "definitions" | "dependencies" => {
                json!({ keyword: { "a": {}, "b": schema } })
            }
            _ => json!({ keyword: schema }),
        };
        assert!(meets(wrap(wrap(json!({ "default": 1 }))), DEFAULT), "{keyword}");
        assert!(!meets(wrap(wrap(json!({ "type": "object" }))), DEFAULT), "{keyword}");
    }
    assert!(meets(json!({ "items": [] }), Keywords::LIST_OF_ITEMS));
    assert!(!meets(json!({ "items": {} }), Keywords::LIST_OF_ITEMS));
    assert!(schema::Schema::default().within.meets(DEFAULT), "of a schema from no text nothing is known");
}

/// Beginnings of what is not ours to know: words after them need not agree.
const FREE: [&str; 4] =
    ["compilation failed: ", "parse ", "error parsing regexp", "because it is defined in"];

/// Of rules that cost the same the server names any, so only their number is compared.
const EXPENSIVE: &str = "contributed to estimated rule cost total";

/// Of several properties that cannot be converted the server names any.
const UNCONVERTIBLE: [&str; 2] = ["OpenAPIV3Schema '", "internal error: 'x-kubernetes-preserve"];

fn line(field: &str, ty: &str, detail: &str) -> String {
    let known = match UNCONVERTIBLE.iter().any(|it| detail.starts_with(it)) {
        true => Some(0),
        false => FREE.iter().filter_map(|it| Some(detail.find(it)? + it.len())).min(),
    };
    let field = if detail.starts_with(EXPENSIVE) { "a rule" } else { field };
    format!("{field} {ty}: {}", &detail[..known.unwrap_or(detail.len())])
}

/// Errors in lines that have to be equal.
pub(crate) fn errors_of<'e>(errors: impl IntoIterator<Item = &'e FieldError>) -> Vec<String> {
    let mut out: Vec<String> = errors.into_iter().map(|it| line(&it.field, it.ty, &it.detail)).collect();
    out.sort();
    out
}

/// As [`errors_of`], of the server's errors.
pub(crate) fn errors_in(list: &Json) -> Vec<String> {
    let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |it: &Json, key: &str| it[key].as_str().unwrap_or_default().to_owned();
    let mut out: Vec<String> =
        list.iter().map(|it| line(&text(it, "field"), &text(it, "type"), &text(it, "detail"))).collect();
    out.sort();
    out
}

/// Why a CRD is refused, in [`errors_of`].
pub(crate) fn refused(refusals: &[Refusal]) -> Vec<String> {
    errors_of(refusals.iter().map(|it| &it.error))
}

#[test]
fn random_crds_are_answered_as_the_server_answered_them() {
    let (mut wrong, cases) = (Vec::new(), vectors("more.jsonl"));
    assert!(cases.len() > 100, "only {} cases", cases.len());
    for case in &cases {
        let (id, said) = (&case["id"], &case["answer"]);
        let read = crd::read(&node(&case["crd"]).expect("JSON"));
        let (ours, theirs) = (read.undecodable.is_some(), said["decode_error"].is_string());
        if ours != theirs {
            wrong.push(format!("{id}: {:?}, the server: {}", read.undecodable, said["decode_error"]));
        }
        let (Some(crd), false, false) = (&read.crd, ours, theirs) else { continue };
        let mut strict = read.strict_errors();
        strict.sort();
        let mut reported = texts(&said["strict_errors"]);
        reported.sort();
        let (create, stored) = (admit::create(crd), admit::update(crd, crd).refusals);
        let pairs = [
            (strict, reported),
            (refused(&create.refusals), errors_in(&said["errors"])),
            (create.warnings.clone(), texts(&said["warnings"])),
            (
                if create.refusals.is_empty() { Vec::new() } else { refused(&stored) },
                errors_in(&said["stored_errors"]),
            ),
        ];
        let unknown = !create.unknown.is_empty();
        for (ours, theirs) in pairs.into_iter().filter(|it| it.0 != it.1 && !unknown) {
            wrong.push(format!("{id}: {ours:#?}, the server: {theirs:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn crds_are_refused_as_the_server_refuses_them() {
    let mut wrong = Vec::new();
    let cases = cases();
    for (id, node, answer) in &cases {
        let read = crd::read(node);
        let (Some(crd), None) = (read.crd, read.undecodable) else { continue };
        let admission = admit::create(&crd);
        if !admission.unknown.is_empty() {
            continue;
        }
        let said = &answer["crd"];
        let (ours, theirs) = (refused(&admission.refusals), errors_in(&said["errors"]));
        if ours != theirs {
            wrong.push(format!("{id}: refused for {ours:#?}, the server: {theirs:#?}"));
        }
        if admission.warnings != texts(&said["warnings"]) {
            wrong.push(format!("{id}: warnings {:?}, the server: {}", admission.warnings, said["warnings"]));
        }
        for (index, version) in crd.versions.iter().enumerate() {
            let ours =
                version.schema.as_ref().map(|it| admit::structural_errors(it, index)).unwrap_or_default();
            let (ours, theirs) = (refused(&ours), errors_in(&said["structural_errors"][&version.name]));
            if ours != theirs {
                wrong.push(format!(
                    "{id}: {}: not structural for {ours:#?}, the server: {theirs:#?}",
                    version.name
                ));
            }
        }
        if !theirs.is_empty() {
            let (ours, theirs) =
                (refused(&admit::update(&crd, &crd).refusals), errors_in(&said["stored_errors"]));
            if ours != theirs {
                wrong.push(format!("{id}: stored, refused for {ours:#?}, the server: {theirs:#?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// Runs on a stack as small as a thread's of a server.
fn on_small_stack<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::Builder::new().stack_size(2 << 20).spawn(run).expect("a thread").join().expect("no overflow")
}

#[test]
fn schemas_nested_without_end_are_said_to_be_unread() {
    let message = on_small_stack(|| {
        let deep = nested("properties", 1000);
        let out = schema::read_alone(&deep).unread;
        // Dropping so deep a node is not what this test is about.
        std::mem::forget(deep);
        out
    });
    let message = message.expect("too deep");
    assert!(message.contains(&schema::MAX_DEPTH.to_string()), "{message}");
}

#[test]
fn the_deepest_schemas_that_are_read_are_judged_on_a_small_stack() {
    for keyword in ["properties", "items", "additionalProperties", "allOf", "anyOf", "not", "definitions"] {
        let refusals = on_small_stack(move || {
            let map = |entries: Vec<(&str, Node)>| {
                let entry =
                    |(key, value): (&str, Node)| Entry { key: key.into(), key_span: Span::default(), value };
                Node::new(Value::Mapping(entries.into_iter().map(entry).collect()))
            };
            let text = |it: &str| Node::new(Value::String(it.into()));
            let validation = map(vec![("openAPIV3Schema", nested(keyword, schema::MAX_DEPTH - 1))]);
            let version = map(vec![("name", text("v1")), ("schema", validation)]);
            let versions = Node::new(Value::Sequence(vec![version.clone(), version]));
            let read = crd::read(&map(vec![("spec", map(vec![("versions", versions)]))]));
            assert_eq!(read.undecodable, None, "{keyword}");
            let crd = read.crd.expect("a mapping");
            admit::create(&crd).refusals.len() + admit::update(&crd, &crd).refusals.len()
        });
        assert!(refusals > 0, "{keyword}");
    }
}

/// A schema with schemas below one keyword, so many deep.
fn nested(keyword: &str, depth: usize) -> Node {
    let map = |key: &str, value| {
        let entry = Entry { key: key.into(), key_span: Span::default(), value };
        Node::new(Value::Mapping(vec![entry]))
    };
    let mut out = Node::new(Value::Mapping(Vec::new()));
    for _ in 0..depth {
        let below = match keyword {
            "properties" | "definitions" => map("a", out),
            "allOf" | "anyOf" => Node::new(Value::Sequence(vec![out])),
            _ => out,
        };
        out = map(keyword, below);
    }
    out
}

/// Go limits the patterns that it compiles by counting what it makes of them, which is not modeled.
#[test]
fn whether_a_pattern_without_end_is_refused_is_unknown() {
    let admission = |pattern: String| {
        let schema =
            json!({"type": "object", "properties": {"spec": {"type": "string", "pattern": pattern}}});
        let version = json!({"name": "v1", "schema": {"openAPIV3Schema": schema}});
        let read = crd::read(&node(&json!({"spec": {"versions": [version]}})).expect("JSON"));
        admit::create(&read.crd.expect("a mapping"))
    };
    let of_pattern =
        |it: &admit::Admission| it.refusals.iter().filter(|it| it.error.field.ends_with("pattern")).count();
    for (pattern, refused, unknown) in
        [("a{1000}".repeat(4000), 0, 1), ("(".repeat(4000), 1, 0), ("a".repeat(4000), 0, 0)]
    {
        let admission = admission(pattern);
        assert_eq!((of_pattern(&admission), admission.unknown.len()), (refused, unknown), "{admission:?}");
    }
}

#[test]
fn findings_without_end_are_cut_short() {
    let long = "k".repeat(1000);
    let fields: serde_json::Map<String, Json> =
        (0..20_000).map(|it| (format!("x-{it}"), Json::from(it))).collect();
    let untyped: serde_json::Map<String, Json> =
        (0..20_000).map(|it| (format!("p{it}"), serde_json::json!({}))).collect();
    let mut schema = Json::Object(fields);
    schema["properties"] = Json::Object(untyped);
    for _ in 0..60 {
        schema = serde_json::json!({"properties": {long.clone(): schema}});
    }
    let version = serde_json::json!({"name": "v1", "schema": {"openAPIV3Schema": schema}});
    let read = crd::read(&node(&serde_json::json!({"spec": {"versions": [version]}})).expect("JSON"));
    let refusals = admit::create(&read.crd.expect("a mapping")).refusals;
    for (what, count) in [("unknown fields", read.unknown.len()), ("refusals", refusals.len())] {
        assert!((1000..5000).contains(&count), "{count} {what}");
    }
}
