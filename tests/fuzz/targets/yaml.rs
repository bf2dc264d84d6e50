//! Any text can be read as YAML: no panic, and every span lies on characters of the text.

#![no_main]

use kopf_crd::source::Span;
use kopf_crd::yaml;
use kopf_crd::yaml::Node;
use kopf_crd::yaml::Value;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let stream = yaml::parse(text);
    for document in &stream.documents {
        walk(&document.root, text);
        let json = document.root.to_json();
        assert_eq!(Node::from_json(&json).to_json(), json, "a value survives its way through nodes");
    }
    for error in &stream.errors {
        inside(error.span, text);
    }
    for comment in yaml::comments(text) {
        inside(comment.span, text);
    }
});

fn walk(node: &Node, text: &str) {
    inside(node.span, text);
    match &node.value {
        Value::Mapping(entries) => entries.iter().for_each(|it| walk(&it.value, text)),
        Value::Sequence(items) => items.iter().for_each(|it| walk(it, text)),
        _ => {}
    }
}

fn inside(span: Span, text: &str) {
    assert!(text.get(span.range()).is_some(), "{span:?} is no range of the text");
}
