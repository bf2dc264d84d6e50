//! YAML as the server's clients decode it: recorded answers, places, bad input.

use std::path::PathBuf;

use kopf_crd::yaml::client::{Answer, answer};
use kopf_crd::yaml::{self, Node, Style, Value, template};
use serde_json::Value as Json;

fn vectors(name: &str) -> Vec<Json> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/yaml").join(name);
    let text = std::fs::read_to_string(path).expect("the vectors are there");
    text.lines().map(json).collect()
}

/// Parses JSON of any depth; arrays and objects beyond what a test compares by value are left as text.
fn json(text: &str) -> Json {
    let mut reader = serde_json::Deserializer::from_str(text);
    match serde::Deserialize::deserialize(&mut reader) {
        Ok(value) => value,
        Err(_) => deep_row(text),
    }
}

/// A row with a value too deep for `serde_json`: its fields as compact text.
fn deep_row(text: &str) -> Json {
    let row: std::collections::BTreeMap<String, Box<serde_json::value::RawValue>> =
        serde_json::from_str(text).expect("a JSON object");
    let field = |raw: &serde_json::value::RawValue| match serde_json::from_str(raw.get()) {
        Ok(value) => value,
        Err(_) => Json::String(format!("deep:{}", raw.get().trim())),
    };
    row.iter().map(|(key, raw)| (key.clone(), field(raw))).collect()
}

/// A JSON text as a value, or as compact text where it is too deep.
fn value(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|_| Json::String(format!("deep:{text}")))
}

fn differs(answer: &Answer, expected: &Json) -> Vec<&'static str> {
    let mut wrong = Vec::new();
    let mut check = |field: &'static str, equal: bool| {
        if !equal {
            wrong.push(field);
        }
    };
    let null = Json::Null;
    let field = |name: &str| expected.get(name).unwrap_or(&null);
    // A document that is `null` has no `json` in Go's output, nor an error.
    check("json", answer.json.as_deref().map_or(Json::Null, value) == *field("json"));
    check("error", answer.error.is_some() == field("error").is_string());
    check("strict_error", answer.strict_error.is_some() == field("strict_error").is_string());
    let docs: Vec<Json> = answer.docs.iter().map(|it| value(it)).collect();
    let recorded = match field("docs") {
        Json::Null => Vec::new(),
        Json::Array(docs) => docs.clone(),
        Json::String(deep) => {
            vec![Json::String(format!("deep:{}", &deep["deep:[".len()..deep.len() - 1]))]
        }
        other => panic!("docs: {other}"),
    };
    check("docs", docs == recorded);
    check("docs_error", answer.docs_error.is_some() == field("docs_error").is_string());
    check("docs_skipped", answer.docs_skipped as u64 == field("docs_skipped").as_u64().unwrap_or(0));
    wrong
}

#[test]
fn every_recorded_answer_is_ours_too() {
    let (cases, expected) = (vectors("cases.jsonl"), vectors("expected.jsonl"));
    assert_eq!(cases.len(), 219);
    let mut wrong = Vec::new();
    for (case, expected) in cases.iter().zip(&expected) {
        assert_eq!(case["id"], expected["id"]);
        let id = case["id"].as_str().expect("an id");
        let answer = answer(case["yaml"].as_str().expect("a text"));
        let mut fields = differs(&answer, expected);
        // Go takes either of two keys that become one in JSON, by chance.
        if matches!(id, "dup/int-and-string-key" | "dup/bool-and-string-key") {
            fields.retain(|it| !matches!(*it, "json" | "docs"));
        }
        if !fields.is_empty() {
            let mut shown = format!("{answer:?}");
            shown.truncate(400);
            wrong.push(format!("{id}: {fields:?}: {shown}"));
        }
    }
    assert!(wrong.is_empty(), "{} of 219 differ:\n{}", wrong.len(), wrong.join("\n"));
}

fn root(text: &str) -> Node {
    let mut stream = yaml::parse(text);
    assert!(stream.errors.is_empty(), "{text:?}: {:?}", stream.errors);
    assert_eq!(stream.documents.len(), 1, "{text:?}");
    stream.documents.remove(0).root
}

/// The node at a path of keys and indices.
fn at<'a>(node: &'a Node, path: &str) -> &'a Node {
    path.split('.').filter(|it| !it.is_empty()).fold(node, |node, step| match step.parse::<usize>() {
        Ok(index) => &node.items()[index],
        Err(_) => node.get(step).unwrap_or_else(|| panic!("no `{step}` in {path}")),
    })
}

#[test]
fn every_value_has_its_bytes() {
    let cases = [
        ("a: 1\n", "", "a: 1"),
        ("é: ü # ö\nb: x\n", "é", "ü"),
        ("é: ü # ö\nb: x\n", "b", "x"),
        ("a:\n  b: 'x'\n  c: \"y\" # z\n\nd: 1\n", "a", "b: 'x'\n  c: \"y\""),
        ("a:\n  - x\n  - y: 1\n    z: 2\n", "a", "- x\n  - y: 1\n    z: 2"),
        ("a:\n- x\n- y\n", "a", "- x\n- y"),
        ("a: # - x\n- x\n- y\n", "a", "- x\n- y"),
        ("- - a\n  - b\n- c\n", "0", "- a\n  - b"),
        ("- - a\n  - b\n- c\n", "0.1", "b"),
        ("-\n  - a\n-\n", "0", "- a"),
        ("a: {b: [1, 2], c: {}}\n", "a", "{b: [1, 2], c: {}}"),
        ("a: {b: [1, 2], c: {}}\n", "a.b", "[1, 2]"),
        ("a: {b: [1, 2], c: {}}\n", "a.c", "{}"),
        ("a: &x !t {b: 1}\n", "a", "{b: 1}"),
        ("a: |\n  x\n  y\nb: 1\n", "a", "|\n  x\n  y"),
        ("a: |-\n\n  x\n\n\nb: 1\n", "a", "|-\n\n  x"),
        ("a: > # | no\n  x\n", "a", "> # | no\n  x"),
        ("a: |\nb: 1\n", "a", "|"),
        ("a:\n  b: |\n    x\n  c: 1\n", "a.b", "|\n    x"),
        ("a: 1\r\nb:\r\n  c: 2\r\nd: 3", "b", "c: 2"),
        ("? a\n: b\n", "a", "b"),
        ("{\"a\": {\"b\": 1}, \"c\": 2}", "a", "{\"b\": 1}"),
        ("{\"a\": {\"b\": 1}, \"c\": 2}", "c", "2"),
    ];
    for (text, path, expected) in cases {
        let root = root(text);
        assert_eq!(&text[at(&root, path).span.range()], expected, "{text:?} {path}");
    }
}

#[test]
fn a_value_that_is_not_written_has_its_place() {
    let cases = [
        ("a:\nb: 1\n", "a", "a:"),
        ("a :\nb: 1\n", "a", "a :"),
        ("a: # c\nb: 1\n", "a", "a:"),
        ("a:\n  b:\n", "a.b", "a:\n  b:"),
        ("- \n- x\n", "0", "-"),
        ("a: &x\nb: 1\n", "a", "a: &x"),
        ("a: {b, c: 1}\n", "a.b", "a: {b"),
        ("a: {b: , c: 1}\n", "a.b", "a: {b:"),
    ];
    for (text, path, before) in cases {
        let root = root(text);
        let node = at(&root, path);
        assert!(node.is_null() && node.span.is_empty(), "{text:?}: {node:?}");
        assert_eq!(&text[..node.span.start as usize], before, "{text:?}");
    }
}

#[test]
fn keys_have_their_bytes() {
    let text = "base: &b {p: 1}\n'on' : 1\non: 2\nm:\n  <<: *b\n  q: 2\n";
    let root = root(text);
    let keys: Vec<_> = root.entries().iter().map(|it| (&*it.key, &text[it.key_span.range()])).collect();
    assert_eq!(keys, [("base", "base"), ("on", "'on'"), ("true", "on"), ("m", "m")]);
    let merged = at(&root, "m");
    assert_eq!(merged.entries().iter().map(|it| it.value.shared).collect::<Vec<_>>(), [true, false]);
    assert_eq!(&text[merged.get("p").unwrap().span.range()], "1");
    assert_eq!(at(&root, "base").style, Style::Flow);
    assert_eq!(at(&root, "m.q").value, Value::Int(2));
}

#[test]
fn the_last_of_a_repeated_key_stands_and_all_are_told() {
    let text = "a: 1\nb: 2\na: 3\nc: {x: 1, x: 2}\na: 4\n";
    let stream = yaml::parse(text);
    let document = &stream.documents[0];
    assert_eq!(document.root.to_json(), serde_json::json!({"a": 4, "b": 2, "c": {"x": 2}}));
    let keys: Vec<_> = document.root.entries().iter().map(|it| &*it.key).collect();
    assert_eq!(keys, ["b", "c", "a"]);
    let told: Vec<_> =
        document.duplicates.iter().map(|it| (&*it.key, it.first.start, it.last.start)).collect();
    assert_eq!(told, [("a", 0, 10), ("x", 19, 25), ("a", 10, 31)]);
}

#[test]
fn a_broken_document_does_not_hide_the_others() {
    let text = "a: 1\n---\nb: [\n---\nc: 3\n--- {d: 4}\ne: 5\n---\n# nothing\n---\nf: 6\n...\ng: 7\n";
    let stream = yaml::parse(text);
    let found: Vec<_> =
        stream.documents.iter().map(|it| (it.number, it.root.to_json().to_string())).collect();
    assert_eq!(found, [(1, r#"{"a":1}"#.into()), (3, r#"{"c":3}"#.into()), (5, r#"{"f":6}"#.into())]);
    let errors: Vec<_> = stream.errors.iter().map(|it| &text[it.span.range()]).collect();
    assert_eq!(errors, ["[", "{d: 4}"]);
    assert_eq!(stream.dropped.len(), 1);
    assert_eq!(text[stream.dropped[0].range()].trim(), "g: 7");
}

#[test]
fn json_streams_are_read() {
    let cases = [
        ("{\"a\":1}{\"b\":2}\n{\"a\":3}", 3, 0),
        ("{\"a\":1}\n---\n{\"b\":2}\n", 2, 0),
        ("{\"a\":1}\n---\nb: 2\n", 2, 0),
        ("{\"a\":1}{\"b\":2}{", 2, 1),
        ("{\"a\":1}{\"b\":2}{\n---\nc: 1\n", 3, 1),
        ("{a: 1}\n", 1, 0),
        ("{\"a\": 1,}\n", 1, 0),
        ("{\"a\": }}\n", 0, 1),
    ];
    for (text, documents, errors) in cases {
        let stream = yaml::parse(text);
        assert_eq!((stream.documents.len(), stream.errors.len()), (documents, errors), "{text}: {stream:?}");
    }
}

#[test]
fn templates_are_told_from_text_with_braces() {
    let yes = [
        "{{- if .Values.x }}\na: 1\n{{- end }}\n",
        "a: {{ .Values.x }}\n",
        "metadata:\n  name: foo-{{ .Release.Name }}\n",
        "metadata:\n  labels:\n    {{- include \"x\" . | nindent 4 }}\n  name: x\n",
        "a: b\n{% if x %}\nc: d\n{% endif %}\n",
        "list:\n- {{ x }}\n",
        "a: |\n  text\n{{- end }}\n",
    ];
    for text in yes {
        assert!(template::marks(text).next().is_some(), "{text}");
    }
    let no = [
        "description: use {{ .Values.x }} there\n",
        "description: 'use {{ .Values.x }} there'\n",
        "a: \"{{ x }}\"\n",
        "a: \"one\n  {{ x }}\n  two\"\n",
        "# {{ x }}\na: 1 # {{ y }}\n",
        "description: |\n  {{ x }}\n  {% y %}\nb: 1\n",
        "- description: |-\n    {{ x }}\n",
        "- |\n  {{ x }}\n",
        "description: long text that goes on\n  {{ x }} and on\n",
        "a: 1\n",
    ];
    for text in no {
        assert_eq!(template::marks(text).next(), None, "{text}");
    }
    let text = "a: {{ .x }}-b\n";
    assert_eq!(&text[template::marks(text).next().expect("a mark").range()], "{{ .x }}");
}

#[test]
fn faults_have_a_place_and_a_way_out() {
    let cases = [
        ("a:\n\tb: 1\n", "\t", "spaces"),
        ("a: b: c\n", ":", "quotes"),
        ("a: @x\n", "@", "quotes"),
        ("a: *x\n", "*", "anchor"),
        ("a: \u{7}\n", "\u{7}", "escape"),
        ("? {a: 1}\n: 2\n", "{a: 1}", "quotes"),
        ("a: {{ .Values.x }}\n", "{ .Values.x }", "render"),
        ("{{- if .Values.x }}\na: 1\n{{- end }}\n", "-", "render"),
    ];
    for (text, place, help) in cases {
        let stream = yaml::parse(text);
        let error = &stream.errors[0];
        assert_eq!(&text[error.span.range()], place, "{text:?} {error:?}");
        assert!(error.help.as_deref().is_some_and(|it| it.contains(help)), "{text:?} {error:?}");
    }
}

proptest::proptest! {
    /// What is printed is read back as the same value, also by a reader of YAML 1.1.
    #[test]
    fn printed_values_are_read_back(value in any_value()) {
        let text = yaml::print(&value);
        let stream = yaml::parse(&text);
        proptest::prop_assert!(stream.errors.is_empty(), "{}\n{:?}", text, stream.errors);
        let read = stream.documents.first().map_or(Json::Null, |it| it.root.to_json());
        proptest::prop_assert_eq!(read, value, "{}", text);
    }

    /// Whatever the bytes: an answer, and no panic.
    #[test]
    fn any_text_has_an_answer(text in r#"[ \t\n:{}\[\],'"&*!|>%@#?a-c0-9\-.<é\u{2028}]{0,60}"#) {
        let stream = yaml::parse(&text);
        let places = stream.errors.iter().map(|it| it.span).chain(stream.documents.iter().map(|it| it.span));
        for span in places {
            proptest::prop_assert!(text.get(span.range()).is_some(), "{:?}", span);
        }
        answer(&text);
        template::marks(&text).for_each(drop);
        yaml::comments(&text);
    }
}

fn any_value() -> impl proptest::strategy::Strategy<Value = Json> {
    use proptest::prelude::*;
    let odd = prop::sample::select(vec![
        "",
        "y",
        "Y",
        "on",
        "no",
        "null",
        "~",
        "0o7",
        "017",
        "1_000",
        "0x1F",
        "1e3",
        ".5",
        ".inf",
        "2001-12-14",
        "<<",
        "=",
        "- a",
        "a: b",
        "a #b",
        "#",
        "[x",
        "{x",
        "*x",
        "&x",
        "!x",
        "|",
        ">",
        "%x",
        "@x",
        "`",
        "'",
        "\"",
        " a",
        "a ",
        "a\n",
        "\n",
        "\na",
        "a\nb\n\n",
        "---",
        "...",
        "a\n---\nb",
        "\t",
        "\u{85}",
        "\u{a0}",
        "\u{feff}",
        "\u{2028}x",
        "é",
        "😀",
        "-",
        "?",
        ":",
        "a:",
        "true",
        "1:30",
        "+1",
        "_1",
        "\u{7}",
        "\\",
        "a\\b",
        "x\r\ny",
        "1.0",
        "0b1",
        "08",
        "nan",
        "NULL",
    ]);
    let text = prop_oneof![odd.prop_map(str::to_owned), r"[ -~é\n\t]{0,12}", "[a-z0-9]{1,5}"];
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        (-1.0e6..1.0e6).prop_filter_map("a fraction", |it: f64| (it.fract() != 0.0).then(|| Json::from(it))),
        text.clone().prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::btree_map(text.clone(), inner, 0..4)
                .prop_map(|it| Json::Object(it.into_iter().collect())),
        ]
    })
}

#[test]
fn depth_and_size_are_bounded() {
    // On a small stack, as tests and threads have it.
    let deep = [
        "a: ".to_owned() + &"[".repeat(9_999) + &"]".repeat(9_999),
        "[".repeat(200_000),
        "{\"a\":".repeat(10_000) + "1" + &"}".repeat(10_000),
        (0..2_000).map(|it| " ".repeat(it) + "a:\n").collect(),
        "- ".repeat(9_000) + "x",
    ];
    for text in &deep {
        let stream = yaml::parse(text);
        assert!(stream.documents.is_empty() && stream.errors.len() == 1, "{:.40}: {:?}", text, stream.errors);
        answer(text);
    }
    let fine = "a: ".to_owned() + &"[".repeat(yaml::MAX_DEPTH - 1) + &"]".repeat(yaml::MAX_DEPTH - 1);
    let stream = yaml::parse(&fine);
    assert_eq!((stream.documents.len(), stream.errors.len()), (1, 0));
    assert_eq!(stream.documents[0].root.clone(), stream.documents[0].root);
    // Text that aliases repeat takes memory for each.
    let large = "x".repeat(4 << 20);
    let bomb = format!("a: &a {large}\nb: [{}]\n", vec!["*a"; 90].join(", "));
    assert!(yaml::parse(&bomb).errors[0].message.contains("aliasing"));
    let scalar = format!("a: \"{}\"\n", "y".repeat(50 << 20));
    assert_eq!(
        yaml::parse(&scalar).documents[0].root.get("a").and_then(Node::as_str).map(str::len),
        Some(50 << 20)
    );
}

#[test]
fn places_are_those_of_the_text_whatever_its_line_breaks() {
    let text = "%\u{2028}";
    let error = &yaml::parse(text).errors[0];
    assert!(text.get(error.span.range()).is_some(), "{error:?}");
    let text = "a: x\u{2028}b: 'p\u{2028}q'\u{85}c: |\u{85}  d\n";
    let root = root(text);
    let shown: Vec<_> = root.entries().iter().map(|it| &text[it.value.span.range()]).collect();
    assert_eq!(shown, ["x", "'p\u{2028}q'", "|\u{85}  d"]);
}

#[test]
fn a_text_that_ends_anywhere_has_an_answer() {
    let text = "apiVersion: v1\nkind: List\nitems:\n- &a {b: 'c', \"d\": [1, 2]}\n- <<: *a\n  e: |\n    f\n---\n? g\n: é\n";
    for at in (0..text.len()).filter(|it| text.is_char_boundary(*it)) {
        yaml::parse(&text[..at]);
        answer(&text[..at]);
    }
}

#[test]
fn json_is_read_as_the_server_reads_it() {
    let cases = [
        (
            "{\"a\": 1, \"b\": 1.0, \"c\": 1e2, \"a\": 2}",
            Some(serde_json::json!({"a": 2, "b": 1.0, "c": 100.0})),
        ),
        ("9223372036854775807", Some(serde_json::json!(i64::MAX))),
        ("9223372036854775808", Some(serde_json::json!(9223372036854775808.0))),
        ("-0", Some(serde_json::json!(0))),
        ("\"\\ud83d\\ude00 \\ud83d \\/\"", Some(serde_json::json!("😀 \u{fffd} /"))),
        (" [ ] ", Some(serde_json::json!([]))),
        ("1e400", None),
        ("01", None),
        ("[1,]", None),
        ("{a: 1}", None),
        ("\"\n\"", None),
        ("1 2", None),
        ("", None),
        ("nul", None),
    ];
    for (text, expected) in cases {
        let read = yaml::json::parse(text);
        assert_eq!(read.as_ref().ok().map(|it| it.0.to_json()), expected, "{text}: {read:?}");
    }
    let (_, duplicates) =
        yaml::json::parse("{\"a\": 1, \"b\": {\"c\": 1, \"c\": 2}, \"a\": 2}").expect("JSON");
    assert_eq!(duplicates.iter().map(|it| &*it.key).collect::<Vec<_>>(), ["c", "a"]);
}
