//! Manifests out of a git revision, by asking `git` itself.

use crate::output::Failure;
use kopf_crd::source::Source;
use std::process::Command;
use std::process::Output;

/// The manifests of a revision below a path (all, if it is empty), under names such as `HEAD:crds/x.yaml`.
pub(crate) fn manifests(revision: &str, path: &str, found: &mut Vec<Source>) -> Result<(), Failure> {
    for file in list(revision, path)? {
        let name = format!("{revision}:{file}");
        let bytes = run(&["show", &name])?.stdout;
        match String::from_utf8(bytes) {
            Ok(text) => found.push(Source::new(name, text)),
            Err(_) => return Err(Failure::new(format_args!("cannot read `{name}`: it is not valid UTF-8"))),
        }
    }
    Ok(())
}

/// Whether a text such as `HEAD~1:crds` names a revision that there is.
pub(crate) fn split(state: &str) -> Option<(&str, &str)> {
    let (revision, path) = state.split_once(':')?;
    let known = run(&["rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")]).is_ok();
    (known && !revision.is_empty()).then_some((revision, path))
}

fn list(revision: &str, path: &str) -> Result<Vec<String>, Failure> {
    let mut words = vec!["ls-tree", "-r", "-z", "--name-only", "--full-tree", revision];
    if !path.is_empty() && path != "." {
        words.extend(["--", path.trim_end_matches('/')]);
    }
    let output = run(&words)?;
    let names = output.stdout.split(|it| *it == 0).map(|it| String::from_utf8_lossy(it).into_owned());
    let manifest = |it: &String| {
        let ending = it.rsplit_once('.').map(|it| it.1.to_ascii_lowercase());
        ending.is_some_and(|it| ["yaml", "yml", "json"].contains(&it.as_str()))
    };
    let files: Vec<String> = names.filter(|it| !it.is_empty()).collect();
    let named = files.len() == 1 && files[0] == path;
    Ok(files.into_iter().filter(|it| named || manifest(it)).collect())
}

fn run(words: &[&str]) -> Result<Output, Failure> {
    let output = Command::new("git")
        .args(words)
        .output()
        .map_err(|error| Failure::new(format_args!("cannot run `git`: {error}")))?;
    if output.status.success() {
        return Ok(output);
    }
    let why = String::from_utf8_lossy(&output.stderr);
    let words = words.join(" ");
    Err(Failure::new(format_args!("`git {words}` fails: {}", why.trim())))
}
