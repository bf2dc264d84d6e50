//! Rules in CEL: whether they are taken, and what they say of objects, by the server's recorded answers.

use crate::admit::errors_in;
use crate::admit::errors_of;
use kopf_crd::crd;
use kopf_crd::schema::Schema;
use kopf_crd::server::cel;
use kopf_crd::server::cel::Rules;
use kopf_crd::yaml::Node;
use serde_json::Value as Json;
use serde_json::json;

/// The schema of the only version of a CRD.
fn schema(document: &Json) -> Schema {
    let read = crd::read(&Node::from_json(document)).crd.expect("a CRD");
    read.versions.into_iter().next().and_then(|it| it.schema).expect("a schema")
}

/// A schema with one property of each kind, and rules on it.
fn ruled(rules: &[&str]) -> Schema {
    let rules: Vec<_> = rules.iter().map(|it| json!({"rule": it})).collect();
    schema(
        &json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {"versions": [
            {"name": "v1", "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "n": {"type": "integer"},
                "s": {"type": "string", "maxLength": 40},
                "l": {"type": "array", "maxItems": 9, "items": {"type": "string", "maxLength": 9}},
            }, "x-kubernetes-validations": rules}}},
        ]}}),
    )
}

#[test]
fn rules_get_the_servers_answers() {
    let lines = include_str!("../vectors/apiserver/cel.jsonl");
    let mut wrong = Vec::new();
    let mut check = |id: &str, what: &str, ours: Vec<String>, theirs: Vec<String>| {
        if ours != theirs {
            wrong.push(format!("{id}: {what}\n  ours   {ours:?}\n  server {theirs:?}"));
        }
    };
    for line in lines.lines() {
        let case: Json = serde_json::from_str(line).expect("JSON");
        let id = case["id"].as_str().expect("an id");
        let schema = schema(&case["crd"]);
        let rules = Rules::of(&schema);
        let compiled = cel::admit(&rules, &schema, "spec.validation.openAPIV3Schema", &[]);
        check(
            id,
            "crd_errors",
            errors_of(compiled.refusals.iter().map(|it| &it.0)),
            errors_in(&case["crd_errors"]),
        );
        check(id, "unknown", compiled.unknown.into_iter().map(|it| it.0).collect(), Vec::new());
        if case["object"].is_null() {
            continue;
        }
        let outcome = cel::validate(&rules, &schema, &case["object"], case.get("old"));
        check(id, "errors", errors_of(outcome.errors.iter().map(|it| &it.error)), errors_in(&case["errors"]));
        check(id, "unknown", outcome.unknown.into_iter().map(|it| it.0).collect(), Vec::new());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_schema_without_rules_costs_nothing_and_says_nothing() {
    let schema = ruled(&[]);
    let rules = Rules::of(&schema);
    assert!(rules.is_empty());
    assert_eq!(cel::admit(&rules, &schema, "", &[]), cel::Compiled::default());
    assert_eq!(cel::validate(&rules, &schema, &json!({"n": 1}), None), cel::Outcome::default());
}

#[test]
fn what_is_not_modeled_is_unknown_and_never_an_answer() {
    // Each is taken by the server; none is evaluated or even read here.
    let rows = [
        "quantity(self.s).isInteger()",
        "self.l.sortBy(x, x)[0] == 'a'",
        "self.l.all(i, x, i < 3 && x != '')",
        "semver(self.s).major() == 1",
        "self.?s.optMap(x, x + 'a').orValue('') == ''",
    ];
    for rule in rows {
        let schema = ruled(&[rule]);
        let rules = Rules::of(&schema);
        let compiled = cel::admit(&rules, &schema, "s", &[]);
        assert_eq!(compiled.refusals, [], "{rule}");
        let outcome = cel::validate(&rules, &schema, &json!({"n": 1, "s": "1", "l": ["b", "a"]}), None);
        assert_eq!(outcome.errors, [], "{rule}");
        assert_eq!(outcome.unknown.len(), 1, "{rule}");
    }
}

#[test]
fn false_and_true_are_known_whatever_else_is_not() {
    let schema =
        ruled(&["self.n > 0 && semver(self.s).major() == 1", "self.n < 5 || quantity(self.s).isInteger()"]);
    let rules = Rules::of(&schema);
    let outcome = cel::validate(&rules, &schema, &json!({"n": 0, "s": "1"}), None);
    let said = outcome.errors.iter().map(|it| (it.error.field.as_str(), it.error.ty));
    assert_eq!(said.collect::<Vec<_>>(), [("<nil>", "FieldValueInvalid")]);
    assert_eq!(outcome.unknown, []);
}

#[test]
fn any_text_is_a_rule_without_harm() {
    let deep = format!("{}1{}", "(".repeat(5000), ")".repeat(5000));
    let chain = vec!["self.n"; 5000].join(" + ") + " > 0";
    let fields = format!("self{}", ".s".repeat(5000));
    let long = format!("self.s == '{}'", "a".repeat(200_000));
    let logic = vec!["self.n > 0"; 3000].join(" && ");
    let odd = [
        "",
        " ",
        "'",
        "'''",
        "\\",
        "`a`",
        "self.",
        "self..n",
        "[",
        "{",
        "{1:",
        "a.b.c{",
        "0x",
        "1e",
        "1u",
        "b'\\xff' == b''",
        "'\\u12'",
        "self.n > 99999999999999999999",
        "r'",
        "//",
        "// x\nself.n > 0",
        "é",
        "self.é",
        "\u{0}",
        "self[",
        "has(self)",
        "has()",
    ];
    let many = [deep.as_str(), &chain, &fields, &long, &logic];
    for rule in odd.into_iter().chain(many) {
        let schema = ruled(&[rule]);
        let rules = Rules::of(&schema);
        let _ = cel::admit(&rules, &schema, "s", &[]);
        let _ = cel::validate(&rules, &schema, &json!({"n": 1, "s": "x"}), None);
    }
}

#[test]
fn what_may_cost_too_much_ends_and_is_unknown() {
    let schema = ruled(&["self.l.all(a, self.l.all(b, self.l.all(c, self.l.all(d, a + b + c + d != ''))))"]);
    let rules = Rules::of(&schema);
    let items: Vec<_> = (0..400).map(|it| it.to_string()).collect();
    let outcome = cel::validate(&rules, &schema, &json!({"l": items}), None);
    assert_eq!(outcome.errors, []);
    assert_eq!(outcome.unknown.len(), 1);
}

#[test]
fn each_refusal_points_at_its_rule() {
    let text = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {"versions": [
        {"name": "v1", "schema": {"openAPIV3Schema": {"type": "object", "properties": {"n": {"type": "integer"}},
            "x-kubernetes-validations": [{"rule": "self.n > 0"}, {"rule": "self.m > 0"}]}}},
    ]}})
    .to_string();
    let (node, _) = kopf_crd::yaml::json::parse(&text).expect("JSON");
    let read = crd::read(&node).crd.expect("a CRD");
    let schema = read.versions[0].schema.as_ref().expect("a schema");
    let compiled = cel::admit(&Rules::of(schema), schema, "s", &[]);
    let [(error, at)] = compiled.refusals.as_slice() else { panic!("{compiled:?}") };
    assert_eq!(error.field, "s.x-kubernetes-validations[1].rule");
    let blamed = &text[at.start as usize..at.end as usize];
    assert!(blamed.contains("self.m > 0"), "{blamed}");
}
