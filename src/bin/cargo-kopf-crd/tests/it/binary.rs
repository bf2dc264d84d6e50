//! The built binary, and files for it to read.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::process::Stdio;
use tempfile::TempDir;

pub(crate) const OPEN: &str = "status: {type: object, x-kubernetes-preserve-unknown-fields: true}";
pub(crate) const CLOSED: &str = "status: {type: object}";

pub(crate) fn crd(status: &str) -> String {
    format!(
        "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {{kind: Widget, plural: widgets}}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {{status: {{}}}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            {status}
"
    )
}

/// What came of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

pub(crate) fn command(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-kopf-crd"));
    command.current_dir(dir).args(args);
    for name in ["GITHUB_ACTIONS", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    command
}

pub(crate) fn run_with(command: &mut Command, stdin: &[u8]) -> Ran {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    // The binary may end without reading all of it.
    let _ = child.stdin.take().expect("a pipe").write_all(stdin);
    let done = child.wait_with_output().expect("the binary ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    Ran { code: done.status.code(), out: text(done.stdout), err: text(done.stderr) }
}

pub(crate) fn run(dir: &Path, args: &[&str]) -> Ran {
    run_with(&mut command(dir, args), b"")
}

pub(crate) fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    for (name, bytes) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, bytes).expect("a file");
    }
    dir
}
