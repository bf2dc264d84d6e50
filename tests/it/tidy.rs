//! The form of the code, held by tests: reading order, names, pages.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The modules of `src/lib.rs` in the order in which they stand there.
fn modules() -> Vec<String> {
    let lib = fs::read_to_string(root().join("src/lib.rs")).expect("src/lib.rs is there");
    lib.lines()
        .filter_map(|line| line.strip_prefix("pub mod ").or_else(|| line.strip_prefix("mod ")))
        .map(|rest| rest.trim_end_matches(';').to_owned())
        .collect()
}

fn rust_files(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("a readable directory").flatten() {
        let path = entry.path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|it| it == "rs") {
            found.push(path);
        }
    }
}

/// The files of a module: `x.rs`, or everything below `x/`.
fn files_of(module: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let file = root().join(format!("src/{module}.rs"));
    if file.exists() {
        found.push(file);
    }
    let dir = root().join("src").join(module);
    if dir.exists() {
        rust_files(&dir, &mut found);
    }
    found
}

/// The modules that a line of code names through `crate::`.
fn named_modules(line: &str) -> Vec<String> {
    let code = line.split("//").next().unwrap_or_default();
    code.split("crate::")
        .skip(1)
        .map(|rest| rest.chars().take_while(|it| it.is_alphanumeric() || *it == '_').collect::<String>())
        .collect()
}

#[test]
fn modules_use_only_modules_above_them() {
    let modules = modules();
    assert!(modules.len() > 5, "the scan of src/lib.rs found {modules:?}");
    let mut wrong = Vec::new();
    for (place, module) in modules.iter().enumerate() {
        for file in files_of(module) {
            let text = fs::read_to_string(&file).expect("readable source");
            for (number, line) in text.lines().enumerate() {
                assert!(
                    !line.contains("use crate::{"),
                    "{}:{}: one `use` a module",
                    file.display(),
                    number + 1
                );
                let below =
                    |name: &&String| modules.iter().position(|it| it == *name).is_some_and(|at| at > place);
                for name in named_modules(line).iter().filter(below) {
                    wrong.push(format!("{}:{}: `{module}` uses `{name}`", file.display(), number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "modules use modules that stand below them:\n{}", wrong.join("\n"));
}

/// The heavy crates, each at home in one place.
const HOMES: &[(&str, &str)] = &[("granit_parser", "src/yaml/"), ("annotate_snippets", "src/render/text")];

#[test]
fn heavy_crates_stay_at_home() {
    let mut files = Vec::new();
    rust_files(&root().join("src"), &mut files);
    let mut wrong = Vec::new();
    for file in files {
        let name = file.strip_prefix(root()).expect("below the root").display().to_string();
        let text = fs::read_to_string(&file).expect("readable source");
        for (krate, home) in HOMES {
            if text.contains(krate) && !name.starts_with(home) {
                wrong.push(format!("{name} uses {krate}, whose home is {home}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
