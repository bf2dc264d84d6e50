//! `diff`: what changes for an operator between two states of its CRDs.

use crate::config;
use crate::git;
use crate::inputs;
use crate::inputs::Content;
use crate::output;
use crate::output::Done;
use crate::output::Failure;
use crate::output::Outcome;
use crate::shared::ContractArgs;
use crate::shared::InputArgs;
use crate::shared::LevelArgs;
use clap::Args;
use clap::ValueEnum;
use kopf_crd::check::Options;
use kopf_crd::diff;
use kopf_crd::diff::Change;
use kopf_crd::diff::State;
use kopf_crd::source::Source;
use std::path::Path;
use std::path::PathBuf;

pub(crate) fn run(args: &DiffArgs) -> Done {
    let config = config::load(&args.contract, &args.levels, &InputArgs::default())?;
    let options = &config.options;
    let changes = match (&args.git, args.duplicates, args.states.as_slice()) {
        (Some(range), _, paths) => between_revisions(range, paths, options)?,
        (None, true, states) => {
            let here = [".".to_owned()];
            let states = if states.is_empty() { &here } else { states };
            let mut found = Vec::new();
            for state in states {
                found.extend(read(state, options)?);
            }
            diff::copies(&found)
        }
        (None, false, [old, new]) => {
            let (old, new) = (sources(old)?, sources(new)?);
            compare(relative(old), relative(new), options)?
        }
        _ => return Err(Failure::new("two states are expected: the old one and the new one")),
    };
    let github = std::env::var_os("GITHUB_ACTIONS").is_some_and(|it| it == "true");
    let default = if github { DiffFormat::Github } else { DiffFormat::Text };
    output::print(&match args.format.unwrap_or(default) {
        DiffFormat::Text => diff::text(&changes),
        DiffFormat::Json => diff::json(&changes),
        DiffFormat::Github => diff::github(&changes),
    })?;
    Ok(if changes.iter().any(|it| it.worse) { Outcome::Findings } else { Outcome::Clean })
}

fn between_revisions(range: &str, paths: &[String], options: &Options) -> Result<Vec<Change>, Failure> {
    let wrong =
        || Failure::new(format_args!("`--git {range}`: two revisions are expected, such as `main..HEAD`"));
    let (old, new) = range.split_once("..").ok_or_else(wrong)?;
    let new = new.trim_start_matches('.');
    if old.is_empty() || new.is_empty() {
        return Err(wrong());
    }
    let all = [String::new()];
    let paths = if paths.is_empty() { &all } else { paths };
    let of = |revision: &str| {
        let mut found = Vec::new();
        for path in paths {
            git::manifests(revision, path, &mut found)?;
        }
        Ok::<_, Failure>(found)
    };
    compare(relative(of(old)?), relative(of(new)?), options)
}

fn compare(old: Vec<Source>, new: Vec<Source>, options: &Options) -> Result<Vec<Change>, Failure> {
    let states = |it: Vec<Source>| it.iter().flat_map(|it| diff::states(it, options)).collect::<Vec<State>>();
    let (old, new) = (states(old), states(new));
    if old.is_empty() && new.is_empty() {
        return Err(Failure::new("no CRD was seen in either state: nothing was compared"));
    }
    Ok(diff::compare(&old, &new))
}

fn read(state: &str, options: &Options) -> Result<Vec<State>, Failure> {
    Ok(sources(state)?.iter().flat_map(|it| diff::states(it, options)).collect())
}

/// The texts of a state.
fn sources(state: &str) -> Result<Vec<Source>, Failure> {
    let mut found = Vec::new();
    if !Path::new(state).exists()
        && let Some((revision, path)) = git::split(state)
    {
        git::manifests(revision, path, &mut found)?;
        if found.is_empty() {
            return Err(Failure::new(format_args!("there is no manifest in `{state}`")));
        }
        return Ok(found);
    }
    let input = InputArgs { paths: vec![PathBuf::from(state)], ..InputArgs::default() };
    let inputs = inputs::find(&input)?;
    if let Some(problem) = inputs.problems.first() {
        return Err(Failure::new(&problem.message));
    }
    for input in &inputs.found {
        match inputs::read(input).map_err(|it| Failure::new(it.message))? {
            Content::Text(source) => found.push(source),
            Content::NotText(source, _, why) => {
                output::note(format_args!("`{}` is left out: {why}", source.name))
            }
        }
    }
    Ok(found)
}

/// The same texts without revisions in their names: those of one path are compared with each other, and a place in
/// the new state is one that can be opened.
fn relative(sources: Vec<Source>) -> Vec<Source> {
    let plain = |it: &Source| match it.name.split_once(':') {
        Some((_, path)) if !Path::new(&it.name).exists() => path.to_owned(),
        _ => it.name.clone(),
    };
    sources.into_iter().map(|it| Source { name: plain(&it), text: it.text }).collect()
}
