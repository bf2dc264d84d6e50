//! `fix`, `patch` and `diff` of the built binary: files, links, streams, revisions, exit codes.

use crate::binary;
use crate::binary::CLOSED;
use crate::binary::OPEN;
use crate::binary::command;
use crate::binary::crd;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

fn mended() -> String {
    crd(
        "status: {type: object, properties: {kopf: {type: object, x-kubernetes-preserve-unknown-fields: true}}}",
    )
}

/// The exit code, stdout and stderr of a run.
fn run(dir: &Path, args: &[&str], stdin: &str) -> (i32, String, String) {
    let ran = binary::run_with(command(dir, args).args(["--results", "none"]), stdin.as_bytes());
    (ran.code.expect("a code"), ran.out, ran.err)
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    binary::folder(&files.iter().map(|it| (it.0, it.1.as_bytes())).collect::<Vec<_>>())
}

fn read(dir: &TempDir, name: &str) -> String {
    fs::read_to_string(dir.path().join(name)).expect("a file")
}

#[test]
fn files_are_mended_in_place() {
    let dir = folder(&[("a.yaml", &crd(CLOSED)), ("b.yaml", &crd(OPEN)), ("c.yaml", "a: 1\n")]);
    let (code, out, err) = run(dir.path(), &["fix", "."], "");
    assert_eq!((code, out.as_str()), (0, ""), "{err}");
    assert!(err.contains("a.yaml: 1 finding mended") && !err.contains("b.yaml"), "{err}");
    assert_eq!((read(&dir, "a.yaml"), read(&dir, "b.yaml")), (mended(), crd(OPEN)));
    let names = fs::read_dir(dir.path()).expect("the directory").count();
    assert_eq!(names, 3, "nothing is left beside the files");
    let (code, _, err) = run(dir.path(), &["fix", "."], "");
    assert_eq!((code, err.as_str()), (0, ""));
}

#[test]
fn what_is_out_of_scope_is_said_and_no_success() {
    let scope = "[scope]\nonly = [\"nobody.example.com\"]\n";
    let dir = folder(&[("a.yaml", &crd(CLOSED)), ("kopf-crd.toml", scope)]);
    for command in ["check", "fix", "patch"] {
        let (code, _, err) = run(dir.path(), &[command, "a.yaml"], "");
        assert!(code == 2 && err.contains("in scope"), "{command}: {code} {err}");
    }
    assert_eq!(read(&dir, "a.yaml"), crd(CLOSED));
}

#[test]
fn a_diff_writes_nothing() {
    let dir = folder(&[("a.yaml", &crd(CLOSED))]);
    let (code, out, err) = run(dir.path(), &["fix", "--diff", "a.yaml"], "");
    assert_eq!(code, 0, "{err}");
    assert!(out.starts_with("--- a/a.yaml\n+++ b/a.yaml\n@@ "), "{out}");
    assert_eq!(out.lines().filter(|it| it.starts_with('+') && it.contains("kopf")).count(), 1, "{out}");
    assert_eq!(read(&dir, "a.yaml"), crd(CLOSED));
}

#[test]
fn stdin_goes_to_stdout() {
    let dir = folder(&[]);
    let (code, out, _) = run(dir.path(), &["fix", "-"], &crd(CLOSED));
    assert_eq!((code, out), (0, mended()));
    let (code, out, _) = run(dir.path(), &["fix", "-"], &crd(OPEN));
    assert_eq!((code, out), (0, crd(OPEN)));
    let required = crd("status: {type: object, x-kubernetes-preserve-unknown-fields: true, required: [a]}");
    let (code, out, err) = run(dir.path(), &["fix", "-"], &required);
    assert_eq!((code, out.as_str()), (1, required.as_str()));
    assert!(err.contains("rejected-status"), "{err}");
    let (code, out, _) = run(dir.path(), &["fix", "--unsafe", "-"], &required);
    assert_eq!((code, out), (0, crd(OPEN)));
}

#[test]
fn what_cannot_be_mended_is_said() {
    let dir = folder(&[("a.yaml", "kind: CustomResourceDefinition\na: [\n"), ("b.yaml", &crd(CLOSED))]);
    let (code, _, err) = run(dir.path(), &["fix", "a.yaml", "b.yaml"], "");
    assert_eq!(code, 1);
    assert!(err.contains("unparsable-yaml"), "{err}");
    assert_eq!(read(&dir, "b.yaml"), mended());
    assert_eq!(run(dir.path(), &["fix", "missing.yaml"], "").0, 2);
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    let dir = folder(&[("real/a.yaml", &crd(CLOSED)), ("hard.yaml", &crd(CLOSED))]);
    let real = dir.path().join("real/a.yaml");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("permissions");
    symlink("real/a.yaml", dir.path().join("link.yaml")).expect("a link");
    fs::hard_link(dir.path().join("hard.yaml"), dir.path().join("other.yaml")).expect("a link");
    let (code, _, err) = run(dir.path(), &["fix", "link.yaml", "hard.yaml"], "");
    assert_eq!(code, 0, "{err}");
    assert!(fs::symlink_metadata(dir.path().join("link.yaml")).expect("the link").is_symlink());
    assert_eq!(read(&dir, "real/a.yaml"), mended());
    assert_eq!(fs::metadata(&real).expect("the file").permissions().mode() & 0o777, 0o640);
    assert_eq!((read(&dir, "hard.yaml"), read(&dir, "other.yaml")), (mended(), mended()));
    assert_eq!(fs::metadata(dir.path().join("hard.yaml")).expect("the file").nlink(), 2);
}

#[test]
fn patches_are_printed() {
    let dir = folder(&[("a.yaml", &crd(CLOSED)), ("b.yaml", &crd(OPEN))]);
    let (code, out, _) = run(dir.path(), &["patch", "a.yaml"], "");
    assert!(code == 0 && out.starts_with("patches:\n- patch: |\n    - op: test\n"), "{out}");
    let (code, out, _) = run(dir.path(), &["patch", "--format", "kubectl", "a.yaml"], "");
    assert!(code == 0 && out.starts_with("kubectl patch crd widgets.example.com --type=json -p '["), "{out}");
    let (code, out, err) = run(dir.path(), &["patch", "b.yaml"], "");
    assert_eq!((code, out.as_str()), (0, ""), "{err}");
    assert!(err.contains("no patch is needed"), "{err}");
    assert_eq!(run(dir.path(), &["patch", "-"], "a: 1\n").0, 2);
    let typed = crd("status: {type: object, properties: {kopf: {type: string}}}");
    let (code, out, err) = run(dir.path(), &["patch", "-"], &typed);
    assert!(code == 1 && out.is_empty() && err.contains("(`--unsafe` patches it)"), "{err}");
    assert_eq!(run(dir.path(), &["patch", "--unsafe", "-"], &typed).0, 0);
}

#[test]
fn states_are_compared() {
    let dir = folder(&[("old/a.yaml", &crd(OPEN)), ("new/a.yaml", &crd(CLOSED)), ("empty/x.txt", "")]);
    let (code, out, err) = run(dir.path(), &["diff", "old", "new"], "");
    assert_eq!(code, 1, "{err}");
    assert!(out.contains("were kept and are pruned") && out.contains("new/a.yaml:18:13"), "{out}");
    assert_eq!(run(dir.path(), &["diff", "new/a.yaml", "old/a.yaml"], "").0, 0);
    assert_eq!(run(dir.path(), &["diff", "--duplicates"], "").0, 1);
    assert_eq!(run(dir.path(), &["diff", "old"], "").0, 2);
    assert_eq!(run(dir.path(), &["diff", "old", "missing"], "").0, 2);
    let (code, out, _) = run(dir.path(), &["diff", "old", "new", "--format", "json"], "");
    assert!(code == 1 && out.contains("\"schema\": \"kopf-crd/diff/v1\""), "{out}");
}

#[test]
fn a_comparison_says_what_it_did_not_see() {
    let other = crd(CLOSED).replace("widgets", "gadgets");
    let broken = format!("{}  x: [\n", crd(OPEN));
    let dir = folder(&[
        ("old/a.yaml", &crd(OPEN)),
        ("old/b.yaml", &other),
        ("new/a.yaml", &broken),
        ("new/b.yaml", &other),
        ("empty/x.txt", ""),
    ]);
    let (code, out, _) = run(dir.path(), &["diff", "old", "new"], "");
    assert!(code == 1 && out.contains("`new/a.yaml` names it, and is not valid YAML"), "{out}");
    let (code, out, _) = run(dir.path(), &["diff", "old", "new", "--skip", "widgets"], "");
    assert!(code == 0 && out.starts_with("0 worse"), "{out}");
    assert_eq!(run(dir.path(), &["diff", "old", "new", "--only", "gadgets.*"], "").0, 0);
    let (code, _, err) = run(dir.path(), &["diff", "old", "new", "--only", "nobody"], "");
    assert!(code == 2 && err.contains("no CRD in scope"), "{err}");
    assert_eq!(run(dir.path(), &["diff", "--duplicates", "empty"], "").0, 2);
    assert_eq!(run(dir.path(), &["diff", "--duplicates", "empty", "--allow-empty"], "").0, 0);
}

#[test]
fn revisions_are_compared() {
    let dir = folder(&[("crds/a.yaml", &crd(OPEN))]);
    let git = |words: &[&str]| {
        let mut command = Command::new("git");
        command
            .current_dir(dir.path())
            .args(["-c", "user.name=x", "-c", "user.email=x@example.com"])
            .args(words);
        command.output().is_ok_and(|it| it.status.success())
    };
    if !git(&["init", "-q"]) {
        println!("skipped: git is not here");
        return;
    }
    assert!(git(&["add", "-A"]) && git(&["commit", "-qm", "one"]));
    fs::write(dir.path().join("crds/a.yaml"), crd(CLOSED)).expect("a file");
    assert_eq!(run(dir.path(), &["diff", "HEAD:crds", "crds"], "").0, 1);
    assert_eq!(run(dir.path(), &["diff", "HEAD:crds/a.yaml", "HEAD:crds/a.yaml"], "").0, 0);
    assert!(git(&["commit", "-qam", "two"]));
    let (code, out, err) = run(dir.path(), &["diff", "--git", "HEAD~1..HEAD"], "");
    assert_eq!(code, 1, "{err}");
    assert!(out.contains("--> crds/a.yaml:18:13"), "{out}");
    assert_eq!(run(dir.path(), &["diff", "--git", "HEAD~1..HEAD", "elsewhere"], "").0, 2);
    assert_eq!(run(dir.path(), &["diff", "--git", "nowhere..HEAD"], "").0, 2);
}
