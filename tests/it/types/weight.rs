//! What `cargo add kopf-crd` brings to an author of types, as `src/types/mod.rs` lists it.

use std::collections::BTreeSet;
use std::process::Command;

/// The packages that a package is built from, for its users.
fn packages(of: &[&str]) -> BTreeSet<String> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["tree", "--offline", "--edges", "normal", "--prefix", "none", "--format", "{p}"]);
    of.iter().for_each(|it| _ = command.args(["--package", it]));
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("cargo writes text");
    text.lines()
        .filter_map(|it| it.split(' ').next())
        .filter(|it| !it.is_empty())
        .map(str::to_owned)
        .collect()
}

#[test]
fn an_author_of_types_gets_no_more_than_the_docs_list() {
    let theirs = packages(&["kube", "kube-derive", "schemars", "serde_derive"]);
    let ours = packages(&["kopf-crd"]);
    let more: Vec<&str> = ours.difference(&theirs).map(String::as_str).collect();
    let listed =
        ["aho-corasick", "kopf-crd", "kopf-crd-derive", "regex", "regex-automata", "regex-syntax", "strsim"];
    assert_eq!(more, listed);
    let docs = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/types/mod.rs"))
        .expect("readable source");
    for it in listed {
        assert!(docs.contains(&format!("`{it}`")), "the docs do not list `{it}`");
    }
}

#[test]
fn no_kubernetes_version_is_chosen_for_the_user() {
    let manifest = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .expect("readable manifest");
    let dependencies = manifest.split("[dev-dependencies]").next().expect("there is a first part");
    let line = dependencies.lines().find(|it| it.starts_with("k8s-openapi")).expect("it is a dependency");
    assert!(line.contains("default-features = false") && !line.contains(" features ="), "{line}");
}
