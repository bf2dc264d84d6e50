//! What `generate` does with exported CRDs, without cargo: merging versions, printing, keeping heads.

use kopf_crd::generate;
use kopf_crd::generate::Exported;
use kopf_crd::generate::Origin;
use kopf_crd::yaml;
use proptest::prelude::*;
use serde_json::Value;
use serde_json::json;

fn read_back(text: &str) -> Value {
    let stream = yaml::parse(text);
    assert!(stream.errors.is_empty() && stream.documents.len() == 1, "{text}");
    stream.documents[0].root.to_json()
}

#[test]
fn words_that_the_server_takes_for_something_else_are_quoted() {
    for word in [
        "on",
        "off",
        "yes",
        "no",
        "y",
        "n",
        "Y",
        "N",
        "true",
        "True",
        "null",
        "Null",
        "~",
        "",
        "1_000",
        "0o17",
        "017",
        "0b1",
        "1:30",
        "1e3",
        ".inf",
        ".5",
        "+1",
        "2026-01-01",
        "=",
        "-",
        "a: b",
        "a #b",
        "#",
        "@x",
        "`x`",
        "%x",
        "!x",
        "&x",
        "*x",
        "{{ x }}",
        "x\ny\n",
        " x ",
        "x\u{85}y",
        "\u{feff}x",
        "\u{1}",
        "'",
        "\"",
        "é",
        "0x1F",
        "1__0",
        "---",
        "...",
        "- x",
        "?",
    ] {
        let value = json!({"spec": {"description": word, "enum": [word], word: word}});
        let text = generate::yaml(&value).unwrap_or_else(|error| panic!("{word:?}: {error}"));
        assert_eq!(read_back(&text), value, "{text}");
    }
}

#[test]
fn what_would_be_read_as_a_merge_key_is_quoted() {
    let value = json!({"properties": {"<<": {"type": "object"}}});
    let text = generate::yaml(&value).expect("it is printed");
    assert_eq!(read_back(&text), value, "{text}");
}

#[test]
fn whole_numbers_are_printed_as_the_server_prints_them() {
    let text = generate::yaml(&json!({"maximum": 255.0, "minimum": -1.0, "multipleOf": 0.5}))
        .expect("it is printed");
    assert_eq!(text, "maximum: 255\nminimum: -1\nmultipleOf: 0.5\n");
}

proptest! {
    #[test]
    fn what_is_printed_is_read_back(keys in prop::collection::btree_map("\\PC{0,9}|[yn0-9_.:on-]{1,4}", "\\PC{0,20}|[yn0-9_.:on-]{1,4}", 0..6)) {
        let value = json!({"spec": keys});
        let text = generate::yaml(&value).expect("it is printed");
        prop_assert_eq!(read_back(&text), value, "{}", text);
    }
}

#[test]
fn the_head_of_a_file_stays() {
    let cases = [
        ("", "a: 1\n", "a: 1\n"),
        ("# c\n\na: 0\n# d\n", "a: 1\n", "# c\n\na: 1\n"),
        ("# c\n---\n# d\na: 0\n", "a: 1\n", "# c\n---\n# d\na: 1\n"),
        ("# c\r\na: 0\r\nb: 0\r\n", "a: 1\nb: 1\n", "# c\r\na: 1\r\nb: 1\r\n"),
        ("# only a comment", "a: 1\n", "# only a comment\na: 1\n"),
    ];
    for (existing, text, expected) in cases {
        assert_eq!(generate::with_head(existing, text), expected, "{existing:?}");
    }
}

fn version(name: &str, storage: bool, more: Value) -> Exported {
    let mut crd = json!({
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"kind": "Thing", "plural": "things"},
            "versions": [{"name": name, "storage": storage, "served": true}],
        },
    });
    for (pointer, value) in more.as_object().expect("changes by their places") {
        *crd.pointer_mut(pointer).expect("a place") = value.clone();
    }
    let origin =
        Origin { ty: "Thing".to_owned(), module: name.to_owned(), file: "src/lib.rs".to_owned(), line: 1 };
    Exported { crd, contract: None, origin, problems: Vec::new() }
}

fn merged(exported: Vec<Exported>) -> Result<Vec<String>, Vec<String>> {
    let merged = generate::merge(exported)?;
    let versions = merged[0].crd["spec"]["versions"].as_array().expect("versions").iter();
    Ok(versions.map(|it| it["name"].as_str().expect("a name").to_owned()).collect())
}

#[test]
fn versions_stand_in_the_order_of_kubernetes_however_they_are_found() {
    let all = ["v1alpha1", "v2", "v10beta1", "v1", "v2beta1", "foo"];
    let exported = all.map(|name| version(name, name == "v1", json!({})));
    let expected = ["v2", "v1", "v10beta1", "v2beta1", "v1alpha1", "foo"].map(str::to_owned);
    for turn in 0..all.len() {
        let mut exported = exported.to_vec();
        exported.rotate_left(turn);
        assert_eq!(merged(exported).expect("they go together"), expected);
    }
}

#[test]
fn versions_that_do_not_go_together_are_told_with_their_places() {
    let v1 = || version("v1", true, json!({}));
    let same = merged(vec![v1(), v1()]).expect("a module that is compiled twice is one version");
    assert_eq!(same, ["v1"]);
    let cases = [
        (
            vec![v1(), version("v1", true, json!({"/spec/versions/0/served": false}))],
            "is given twice, and differently",
        ),
        (vec![v1(), version("v2", true, json!({}))], "two versions of `things.example.com` are stored"),
        (vec![version("v2", false, json!({}))], "no version of `things.example.com` is stored"),
        (vec![v1(), version("v2", false, json!({"/spec/scope": "Cluster"}))], "differ in `spec.scope`"),
        (vec![version("v1", true, json!({"/metadata/name": null}))], "a CRD without a name"),
    ];
    for (exported, word) in cases {
        let errors = merged(exported).expect_err(word);
        assert!(
            errors.len() == 1
                && errors[0].contains(word)
                && errors[0].contains("src/lib.rs:1") | errors[0].contains("no version"),
            "{errors:?}"
        );
    }
}

#[test]
fn exports_of_other_versions_are_told() {
    let cases = [
        ("{", "an export cannot be read"),
        (
            r#"{"schema":"kopf-crd/export/v9","type":"T","module":"m","file":"f","line":1}"#,
            "use one version of kopf-crd",
        ),
        (
            r#"{"schema":"kopf-crd/export/v1","type":"T","module":"m","file":"f","line":1,"error":"kube said no"}"#,
            "kube said no",
        ),
    ];
    for (text, word) in cases {
        let error = generate::read(text).expect_err(word);
        assert!(error.contains(word), "{error}");
    }
}
