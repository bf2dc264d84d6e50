//! `generate` on five sample crates: the command, cargo and the derive together.
//!
//! The crates of `tests/fixtures` are copied below `target`, with this workspace's Cargo.lock beside them, and share one
//! target directory: the first run builds their dependencies, later ones take seconds. Nothing is downloaded.

use kopf_crd::starter::Names;
use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn cargo() -> Command {
    let mut command = Command::new(env!("CARGO"));
    // What the outer cargo says about this package is not for the inner one.
    command.env_remove("CARGO_TARGET_DIR").env_remove("RUSTFLAGS");
    command
}

/// The command line, built from this source.
fn tool() -> PathBuf {
    let built = cargo()
        .args(["build", "--quiet", "--offline", "-p", "cargo-kopf-crd", "--message-format=json"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let text = String::from_utf8(built.stdout).expect("cargo writes text");
    let executable = text.lines().filter_map(|it| serde_json::from_str::<serde_json::Value>(it).ok());
    let executable = executable.filter_map(|it| it["executable"].as_str().map(PathBuf::from)).next_back();
    executable.unwrap_or_else(|| panic!("the command is built: {}", String::from_utf8_lossy(&built.stderr)))
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a place below target");
    for entry in fs::read_dir(from).expect("a readable directory").flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target);
        } else if fs::read(&target).ok() != fs::read(&path).ok() {
            // A file that is the same keeps its time, so that cargo builds it once.
            fs::copy(&path, &target).expect("a writable place");
        }
    }
}

/// What a run of the command said, and how it ended.
struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

struct Sample {
    tool: PathBuf,
    crate_: PathBuf,
}

impl Sample {
    fn new(tool: &Path, name: &str) -> Self {
        let crate_ = root().join("target/fixtures").join(name);
        copy(&root().join("tests/fixtures").join(name), &crate_);
        fs::copy(root().join("Cargo.lock"), crate_.join("Cargo.lock")).expect("a writable place");
        Self { tool: tool.to_path_buf(), crate_ }
    }

    fn generate(&self, args: &[&str]) -> Ran {
        let output = Command::new(&self.tool)
            .args(["kopf-crd", "generate", "--offline", "--quiet"])
            .args(args)
            .env_remove("RUSTFLAGS")
            .env("CARGO", env!("CARGO"))
            .env("CARGO_TARGET_DIR", root().join("target/fixtures/target"))
            .env("NO_COLOR", "1")
            .current_dir(&self.crate_)
            .output()
            .expect("the command runs");
        let text = |it: Vec<u8>| String::from_utf8(it).expect("the command writes text");
        Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    #[track_caller]
    fn gives(&self, args: &[&str]) -> String {
        let ran = self.generate(args);
        assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.stderr);
        ran.stdout
    }

    #[track_caller]
    fn fails(&self, args: &[&str], code: i32, word: &str) -> Ran {
        let ran = self.generate(args);
        assert_eq!(ran.code, Some(code), "{args:?}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(word), "{args:?} does not say `{word}`: {}", ran.stderr);
        ran
    }

    fn replace(&self, file: &str, from: &str, to: &str) {
        let path = self.crate_.join(file);
        let text = fs::read_to_string(&path).expect("a readable file");
        assert!(text.contains(from), "{file} has `{from}`");
        fs::write(path, text.replace(from, to)).expect("a writable place");
    }
}

fn kinds(yaml: &str) -> Vec<&str> {
    yaml.lines().filter_map(|it| it.strip_prefix("    kind: ")).collect()
}

#[test]
fn sample_crates_give_their_crds() {
    let tool = tool();
    let library = Sample::new(&tool, "library");
    insta::assert_snapshot!("library", library.gives(&[]));
    insta::assert_snapshot!("binary", Sample::new(&tool, "binary").gives(&[]));
    insta::assert_snapshot!("versions", Sample::new(&tool, "versions").gives(&[]));
    assert_eq!(library.gives(&[]), library.gives(&[]), "a second run gives the same");

    let workspace = Sample::new(&tool, "workspace");
    assert_eq!(kinds(&workspace.gives(&["--workspace"])), ["Apple", "Pear"]);
    assert_eq!(kinds(&workspace.gives(&["-p", "two"])), ["Pear"]);

    let features = Sample::new(&tool, "features");
    assert_eq!(kinds(&features.gives(&[])), ["Always"]);
    assert_eq!(kinds(&features.gives(&["--features", "extra"])), ["Always", "Sometimes"]);
    assert_eq!(features.gives(&["--bin", "crdgen"]), features.gives(&[]), "both doors give the same");

    files(&library);
    mistakes(&tool, &features);
    starter(&tool);
}

fn files(library: &Sample) {
    let crds = library.crate_.join("crds");
    let _ = fs::remove_dir_all(&crds);
    library.fails(&["--out", "crds", "--check"], 1, "2 of 2 files are stale");
    library.gives(&["--out", "crds"]);
    let path = crds.join("widgets.library.example.com.yaml");
    let text = fs::read_to_string(&path).expect("it was written");
    fs::write(&path, format!("# Copyright of somebody.\n\n---\n{text}")).expect("a writable place");
    library.gives(&["--out", "crds", "--check"]);

    fs::write(&path, format!("# Copyright of somebody.\n\n---\n{}", text.replace("How many.", "How few.")))
        .expect("a writable place");
    let ran = library.fails(&["--out", "crds", "--check"], 1, "1 of 2 files are stale");
    let added = |it: &str| it.starts_with('+') && it.contains("How many.");
    assert!(ran.stdout.lines().any(added), "{}", ran.stdout);
    library.gives(&["--out", "crds"]);
    assert_eq!(
        fs::read_to_string(&path).expect("it is there"),
        format!("# Copyright of somebody.\n\n---\n{text}")
    );

    library.gives(&["--out", "crds", "--format", "json"]);
    let json = fs::read_to_string(crds.join("gadgets.library.example.com.json")).expect("it was written");
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(json["metadata"]["name"], "gadgets.library.example.com");
}

fn mistakes(tool: &Path, features: &Sample) {
    features.fails(&["--bin", "printer"], 1, "pruned-status");
    features.fails(&["--bin", "broken"], 2, "no cluster");
    features.fails(&["--check"], 2, "--out");

    let versions = Sample::new(tool, "versions");
    versions.replace("src/lib.rs", "storage = false, ", "");
    versions.fails(&[], 1, "two versions of `things.versions.example.com` are stored");
    let versions = Sample::new(tool, "versions");
    versions.replace("src/lib.rs", "version = \"v1alpha1\"", "version = \"v1\"");
    versions.fails(&[], 1, "is given twice, and differently");

    let binary = Sample::new(tool, "binary");
    binary.replace("src/main.rs", "schema = \"manual\"", "status = \"\"");
    binary.fails(&[], 2, "add `schema = \"manual\"` to `#[kube(…)]`");
    let binary = Sample::new(tool, "binary");
    fs::write(binary.crate_.join("src/main.rs"), "fn main() {}\n").expect("a writable place");
    binary.fails(&[], 2, "no type derives `KopfCrd` here");
}

/// The crate that `init --rust` writes builds, and its tests pass.
fn starter(tool: &Path) {
    let directory = root().join("target/fixtures/starter");
    let names = Names {
        kind: "Gizmo".to_owned(),
        plural: "gizmos".to_owned(),
        group: "starter.example.com".to_owned(),
        version: "v1beta1".to_owned(),
    };
    for file in kopf_crd::starter::rust(&names) {
        let path = directory.join(&file.name);
        fs::create_dir_all(path.parent().expect("a file in a directory")).expect("a place below target");
        let here = "\n[patch.crates-io]\nkopf-crd = { path = \"../../..\" }\n\n[workspace]\n";
        let text = if file.name == "Cargo.toml" { format!("{}{here}", file.text) } else { file.text };
        fs::write(path, text).expect("a writable place");
    }
    fs::copy(root().join("Cargo.lock"), directory.join("Cargo.lock")).expect("a writable place");
    let tested = cargo()
        .args(["test", "--offline", "--quiet"])
        .env("CARGO_TARGET_DIR", root().join("target/fixtures/target"))
        .current_dir(&directory)
        .output()
        .expect("cargo runs");
    assert!(tested.status.success(), "{}", String::from_utf8_lossy(&tested.stderr));
    let sample = Sample { tool: tool.to_path_buf(), crate_: directory };
    let crd = sample.gives(&[]);
    assert_eq!(kinds(&crd), ["Gizmo"]);
    assert!(crd.contains("name: gizmos.starter.example.com") && crd.contains("name: v1beta1"), "{crd}");
}
