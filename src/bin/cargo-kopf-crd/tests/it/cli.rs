//! The built binary as scripts meet it: exit codes, streams, files of every kind.

use crate::binary::CLOSED;
use crate::binary::OPEN;
use crate::binary::Ran;
use crate::binary::command;
use crate::binary::crd;
use crate::binary::folder;
use crate::binary::run;
use crate::binary::run_with;
use serde_json::Value;
use std::fs;
use std::io::Read;
use std::process::Stdio;
use std::time::Duration;
use std::time::Instant;

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

#[test]
fn exit_codes_are_a_contract() {
    let open = crd(OPEN);
    let closed = crd(CLOSED);
    let dir = folder(&[
        ("open.yaml", open.as_bytes()),
        ("closed.yaml", closed.as_bytes()),
        ("broken.yaml", b"kind: CustomResourceDefinition\na: [\n"),
        ("other/namespace.yaml", b"apiVersion: v1\nkind: Namespace\n"),
        ("pod.yaml", b"apiVersion: v1\nkind: Pod\n"),
    ]);
    let cases: [(&[&str], i32); 20] = [
        (&["check", "open.yaml"], 0),
        (&["kopf-crd", "check", "open.yaml"], 0),
        (&["check", "closed.yaml"], 1),
        (&["check", "closed.yaml", "--allow", "pruned-status"], 0),
        (&["check", "closed.yaml", "--warn", "pruned-status"], 0),
        (&["check", "closed.yaml", "--warn", "pruned-status", "--deny", "warnings"], 1),
        (&["check", "closed.yaml", "--storage", "annotations", "--results", "none"], 0),
        (&["check", "broken.yaml", "open.yaml"], 1),
        (&["check", "missing.yaml", "open.yaml"], 2),
        (&["check", "missing.yaml", "closed.yaml"], 2),
        (&["check", "other"], 2),
        (&["check", "other", "--allow-empty"], 0),
        (&["check", "pod.yaml"], 1),
        (&["check", "open.yaml", "--min-crds", "2"], 2),
        (&["check", "open.yaml", "--only", "nobody.example.com"], 2),
        (&["check", "open.yaml", "closed.yaml", "--skip", "closed.yaml"], 0),
        (&["check", "--allow", "no-such-rule", "open.yaml"], 2),
        (&["check", "--storage", "shelf", "open.yaml"], 2),
        (&["check", "nothing-*.yaml"], 2),
        (&["no-such-command"], 2),
    ];
    for (args, expected) in cases {
        let ran = run(dir.path(), args);
        assert_eq!(ran.code, Some(expected), "{args:?}: {ran:?}");
    }
}

#[test]
fn inputs_are_files_directories_globs_and_stdin() {
    let open = crd(OPEN);
    let dir = folder(&[
        ("a.yaml", open.as_bytes()),
        ("b.yml", open.as_bytes()),
        ("c.json", br#"{"apiVersion":"v1","kind":"List","items":[]}"#),
        ("sub/d.yaml", open.as_bytes()),
        ("sub/ignored.yaml", open.as_bytes()),
        ("sub/readme.md", b"text"),
        (".gitignore", b"ignored.yaml\n"),
    ]);
    let files = |args: &[&str]| {
        let ran = run(dir.path(), &[&["check", "--format", "json"], args].concat());
        let report = json(&ran);
        let of = |it: &Value| it["file"].as_str().expect("a file").to_owned();
        report["crds"].as_array().expect("a list").iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(files(&["."]), ["a.yaml", "b.yml", "sub/d.yaml"]);
    assert_eq!(files(&[]), ["a.yaml", "b.yml", "sub/d.yaml"]);
    assert_eq!(files(&["sub/ignored.yaml"]), ["sub/ignored.yaml"], "what is named is read");
    assert_eq!(files(&["sub", "a.yaml", "./a.yaml"]), ["sub/d.yaml", "a.yaml"]);
    assert_eq!(files(&["**/*.y*ml"]), ["a.yaml", "b.yml", "sub/d.yaml"]);
    let ran = run_with(
        &mut command(dir.path(), &["check", "-", "--stdin-filename", "rendered.yaml"]),
        crd(CLOSED).as_bytes(),
    );
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("--> rendered.yaml:18:"), "{}", ran.out);
}

#[test]
fn a_closed_pipe_is_quiet() {
    let closed = crd(CLOSED);
    let many: String = (0..400).map(|_| format!("---\n{closed}")).collect();
    let dir = folder(&[("many.yaml", many.as_bytes())]);
    let mut child = command(dir.path(), &["check", "many.yaml"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut first = [0; 16];
    let mut out = child.stdout.take().expect("a pipe");
    out.read_exact(&mut first).expect("some output");
    drop(out);
    let done = child.wait_with_output().expect("the binary ends");
    assert_eq!(String::from_utf8_lossy(&done.stderr), "");
    assert!(done.status.code().is_some(), "no signal ends it");
}

#[test]
fn any_bytes_give_a_finding_and_hide_nothing() {
    let good = crd(OPEN);
    let deep =
        format!("kind: CustomResourceDefinition\nspec: {}1{}\n", "{a: ".repeat(10_000), "}".repeat(10_000));
    let deep_block: String = (0..10_000).map(|it| format!("{}a:\n", " ".repeat(it))).collect();
    let truncated = &good.as_bytes()[..good.len() / 2];
    let utf16: Vec<u8> =
        [0xfffe_u16.swap_bytes()].into_iter().chain(good.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let dir = folder(&[
        ("binary.yaml", b"\x7fELF\x00\x01\xff"),
        ("deep.yaml", deep.as_bytes()),
        ("deep-block.yaml", deep_block.as_bytes()),
        ("latin1.yaml", b"kind: CustomResourceDefinition\nname: caf\xe9\n"),
        ("truncated.yaml", truncated),
        ("utf16.yaml", &utf16),
        ("aliases.yaml", bomb().as_bytes()),
        ("zgood.yaml", good.as_bytes()),
    ]);
    let names = ["binary", "deep", "deep-block", "latin1", "truncated", "aliases", "utf16", "zgood"];
    let paths: Vec<String> = names.iter().map(|it| format!("{it}.yaml")).collect();
    let mut args = vec!["check", "--format", "json"];
    args.extend(paths.iter().map(String::as_str));
    let ran = run(dir.path(), &args);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let report = json(&ran);
    for name in &names[..6] {
        let file = format!("{name}.yaml");
        let found = report["diagnostics"].as_array().expect("a list").iter();
        let found: Vec<&Value> = found.filter(|it| it["file"] == *file).collect();
        assert!(!found.is_empty(), "{name} has a finding: {:#}", report["diagnostics"]);
        assert!(found.iter().all(|it| it["line"].as_u64() > Some(0)), "{name} says where");
    }
    let crds: Vec<&Value> = report["crds"].as_array().expect("a list").iter().map(|it| &it["file"]).collect();
    for file in ["utf16.yaml", "zgood.yaml"] {
        assert!(crds.iter().any(|it| **it == file), "{file} is judged: {crds:?}");
    }
    let place =
        report["diagnostics"].as_array().expect("a list").iter().find(|it| it["file"] == "latin1.yaml");
    let place = place.expect("a finding");
    assert_eq!((place["line"].as_u64(), place["column"].as_u64()), (Some(2), Some(10)), "{place}");
}

/// Aliases that would grow to billions of nodes.
fn bomb() -> String {
    let mut text = "kind: CustomResourceDefinition\na0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let before = format!("*a{}, ", level - 1).repeat(9);
        text += &format!("a{level}: &a{level} [{}]\n", before.trim_end_matches(", "));
    }
    text
}

#[cfg(unix)]
#[test]
fn links_in_a_circle_and_links_to_nowhere() {
    let dir = folder(&[("a/crd.yaml", crd(OPEN).as_bytes())]);
    std::os::unix::fs::symlink(dir.path(), dir.path().join("a/up")).expect("a link");
    std::os::unix::fs::symlink("nowhere", dir.path().join("gone.yaml")).expect("a link");
    let ran = run(dir.path(), &["check", "."]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.err.contains("cannot read `gone.yaml`"), "{}", ran.err);
    assert!(ran.out.contains("1 CRD in 1 file judged"), "{}", ran.out);
}

#[test]
fn fifty_megabytes_take_seconds_not_minutes() {
    let mut text = String::with_capacity(52 << 20);
    text += "kind: ConfigMap\napiVersion: v1\ndata:\n";
    while text.len() < 50 << 20 {
        text += &format!("  key-{}: {}\n", text.len(), "a line of some text that goes on. ".repeat(60));
    }
    text += &format!("---\n{}", crd(CLOSED));
    let dir = folder(&[("big.yaml", text.as_bytes())]);
    let start = Instant::now();
    let ran = run(dir.path(), &["check", "big.yaml"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.out.contains("pruned-status"), "{}", ran.out);
    assert!(start.elapsed() < Duration::from_secs(180), "{:?}", start.elapsed());
}

#[test]
fn reports_go_to_stdout_and_files_at_once() {
    let dir = folder(&[("a,b: 100%.yaml", crd(CLOSED).as_bytes())]);
    let args = [
        "check",
        "a,b: 100%.yaml",
        "--format",
        "github",
        "--output",
        "json=r.json",
        "--output",
        "text=r.txt",
    ];
    let ran = run(dir.path(), &args);
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.starts_with("::error file=a%2Cb%3A 100%25.yaml,line=18,col="), "{}", ran.out);
    let first = ran.out.lines().next().expect("a line");
    assert!(first.contains(",title=pruned-status::") && first.contains("%0Ahelp: "), "{first}");
    let report: Value =
        serde_json::from_str(&fs::read_to_string(dir.path().join("r.json")).expect("a file")).expect("JSON");
    assert_eq!(report["schema"], "kopf-crd/report/v1");
    assert_eq!(report["summary"]["crds"], 1);
    assert_eq!(report["crds"][0]["versions"][0]["slots"][0]["fate"], "pruned");
    let text = fs::read_to_string(dir.path().join("r.txt")).expect("a file");
    assert!(text.starts_with("error[pruned-status]") && !text.contains('\u{1b}'), "{text}");
}

#[test]
fn github_is_the_default_in_its_workflows() {
    let dir = folder(&[("a.yaml", crd(CLOSED).as_bytes())]);
    let ran = run_with(command(dir.path(), &["check"]).env("GITHUB_ACTIONS", "true"), b"");
    assert!(ran.out.starts_with("::error "), "{}", ran.out);
}

#[test]
fn color_only_where_it_is_wanted() {
    let dir = folder(&[("a.yaml", crd(CLOSED).as_bytes())]);
    let colored = |args: &[&str]| run(dir.path(), args).out.contains('\u{1b}');
    assert!(!colored(&["check"]), "a pipe wants none");
    assert!(colored(&["check", "--color", "always"]));
    assert!(!colored(&["check", "--color", "never"]));
    let forced = run_with(command(dir.path(), &["check"]).env("CLICOLOR_FORCE", "1"), b"");
    assert!(forced.out.contains('\u{1b}'));
}

#[test]
fn the_configuration_is_found_above_and_flags_win() {
    let closed = crd(CLOSED);
    let dir = folder(&[
        ("deploy/crds/a.yaml", closed.as_bytes()),
        ("kopf-crd.toml", b"storage = 'annotations'\nresults = 'none'\n"),
    ]);
    let deep = dir.path().join("deploy/crds");
    assert_eq!(run(&deep, &["check"]).code, Some(0));
    assert_eq!(run(&deep, &["check", "--storage", "status", "--diffbase", "status"]).code, Some(1));
    let python = folder(&[
        ("a.yaml", closed.as_bytes()),
        ("pyproject.toml", b"[tool.kopf-crd]\nallow = ['pruned-status']\n"),
    ]);
    assert_eq!(run(python.path(), &["check"]).code, Some(0));
    let rust = folder(&[
        ("a.yaml", closed.as_bytes()),
        (
            "Cargo.toml",
            b"[package.metadata.kopf-crd.crd.'widgets.example.com']\nstorage = 'annotations'\nresults = 'none'\n",
        ),
    ]);
    assert_eq!(run(rust.path(), &["check"]).code, Some(0));
    assert_eq!(run(rust.path(), &["check", "--only", "none.example.com"]).code, Some(2));
}

#[test]
fn a_wrong_configuration_says_where_and_what_was_meant() {
    let cases: [(&str, &str); 7] = [
        (
            "storage = 'status'\nprogres-field = 'x'\n",
            "kopf-crd.toml:2:1: unknown key `progres-field`: did you mean `progress-field`?",
        ),
        ("storage = 'shelf'\n", "kopf-crd.toml:1:"),
        ("storage = \n", "kopf-crd.toml:1:"),
        ("[crd.'a.b']\nscope = 1\n", "kopf-crd.toml:2:1: unknown key `scope`"),
        ("[scope]\nonli = []\n", "kopf-crd.toml:2:"),
        ("deny = ['pruned-statu']\n", "there is no rule `pruned-statu`: did you mean `pruned-status`?"),
        ("kubernetes = '2'\n", "`2` is not a version of Kubernetes"),
    ];
    for (text, expected) in cases {
        let dir = folder(&[("kopf-crd.toml", text.as_bytes()), ("a.yaml", crd(OPEN).as_bytes())]);
        let ran = run(dir.path(), &["check"]);
        assert_eq!(ran.code, Some(2), "{text}: {ran:?}");
        assert!(ran.err.contains(expected), "{text}: {}", ran.err);
    }
}

#[test]
fn pages_are_printed_and_misspelt_rules_are_guessed() {
    let dir = folder(&[]);
    let ran = run(dir.path(), &["explain", "error[pruned-status]"]);
    assert!(ran.code == Some(0) && ran.out.starts_with("# pruned-status\n"), "{ran:?}");
    let ran = run(dir.path(), &["explain", "prune-status"]);
    assert!(ran.code == Some(2) && ran.err.contains("did you mean `pruned-status`?"), "{ran:?}");
    let ran = run(dir.path(), &["explain", "--list"]);
    assert!(ran.code == Some(0) && ran.out.lines().count() > 25, "{ran:?}");
}

#[test]
fn the_contract_can_be_read() {
    let dir = folder(&[]);
    let ran = run(dir.path(), &["contract", "--result", "create_fn=object"]);
    assert!(ran.out.contains("status.kopf.progress") && ran.out.contains("result:create_fn"), "{ran:?}");
    let ran = run(dir.path(), &["contract", "--json"]);
    assert_eq!(json(&ran)["slots"][0]["path"], "status.kopf.progress");
}

#[test]
fn what_init_writes_is_clean() {
    for style in ["narrow", "open"] {
        let dir = folder(&[]);
        let args = [
            "init",
            "--kind",
            "Proxy",
            "--group",
            "shop.test",
            "--api-version",
            "v1alpha1",
            "--style",
            style,
        ];
        let ran = run(dir.path(), &args);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let text = fs::read_to_string(dir.path().join("proxies.shop.test.yaml")).expect("the CRD");
        assert!(text.contains("kind: Proxy") && text.contains("name: v1alpha1"), "{text}");
        let ran = run(dir.path(), &["check", "--deny", "warnings", "--min-crds", "1"]);
        assert_eq!(ran.code, Some(0), "{style}: {ran:?}");
        assert_eq!(run(dir.path(), &args).code, Some(2), "nothing is overwritten");
        assert_eq!(run(dir.path(), &[&args[..], &["--force"]].concat()).code, Some(0));
    }
}

#[test]
fn help_completions_and_manual() {
    let dir = folder(&[]);
    for args in [&["--help"][..], &["kopf-crd", "check", "--help"], &["completions", "bash"], &["man"]] {
        let ran = run(dir.path(), args);
        assert!(ran.code == Some(0) && ran.out.len() > 500, "{args:?}: {ran:?}");
    }
    let ran = run(dir.path(), &["man", "--out", "pages"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(dir.path().join("pages/cargo-kopf-crd-check.1").exists());
}
