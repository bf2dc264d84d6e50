//! `diff`: what changes for an operator between two states of its CRDs.

use crate::config;
use crate::config::Config;
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
use crate::shared::ScopeArgs;
use clap::Args;
use clap::ValueEnum;
use kopf_crd::check::Scope;
use kopf_crd::diff;
use kopf_crd::diff::Change;
use kopf_crd::diff::Kind;
use kopf_crd::diff::State;
use kopf_crd::source::Source;
use kopf_crd::yaml;
use std::path::Path;
use std::path::PathBuf;

/// Shows what changes for an operator between two states of its CRDs.
///
/// A state is a file, a directory, or a git revision with a path (`HEAD~1:crds`). Made for pull requests: exits with 1
/// when something gets worse.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cargo kopf-crd diff old/crd.yaml new/crd.yaml
  cargo kopf-crd diff HEAD:crds crds
  cargo kopf-crd diff --git origin/main..HEAD
  cargo kopf-crd diff --git origin/main..HEAD --only '*.example.com'
  cargo kopf-crd diff --duplicates .

Exit codes: 0 nothing gets worse, 1 something does, 2 a state cannot be read.")]
pub(crate) struct DiffArgs {
    /// The old state and the new one; with --git the paths to look at, with --duplicates one state.
    #[arg(value_name = "STATE")]
    pub(crate) states: Vec<String>,
    /// Two git revisions.
    #[arg(long, value_name = "A..B", conflicts_with = "duplicates")]
    pub(crate) git: Option<String>,
    /// Finds CRDs that stand in several files and are not the same.
    #[arg(long)]
    pub(crate) duplicates: bool,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    /// Accepts that no CRD is seen at all.
    #[arg(long, help_heading = "Input")]
    pub(crate) allow_empty: bool,
    /// How to show the changes; default: text, or github in its workflows.
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Output")]
    pub(crate) format: Option<DiffFormat>,
    #[command(flatten)]
    pub(crate) contract: ContractArgs,
    #[command(flatten)]
    pub(crate) levels: LevelArgs,
}

/// How changes are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFormat {
    /// For people.
    Text,
    /// One JSON object, `kopf-crd/diff/v1`.
    Json,
    /// Annotations of GitHub Actions.
    Github,
}

pub(crate) fn run(args: &DiffArgs) -> Done {
    let input =
        InputArgs { scope: args.scope.clone(), allow_empty: args.allow_empty, ..InputArgs::default() };
    let config = config::load(&args.contract, &args.levels, &input)?;
    let changes = match (&args.git, args.duplicates, args.states.as_slice()) {
        (Some(range), _, paths) => between_revisions(range, paths, &config)?,
        (None, true, states) => {
            let here = [".".to_owned()];
            let states = if states.is_empty() { &here } else { states };
            let mut found = Vec::new();
            for state in states {
                found.extend(states_of(&sources(state)?, &config));
            }
            is_seen(!found.is_empty(), &config)?;
            diff::copies(&found)
        }
        (None, false, [old, new]) => {
            let (old, new) = (sources(old)?, sources(new)?);
            compare(&relative(old), &relative(new), &config)?
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

fn between_revisions(range: &str, paths: &[String], config: &Config) -> Result<Vec<Change>, Failure> {
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
    compare(&relative(of(old)?), &relative(of(new)?), config)
}

fn compare(old: &[Source], new: &[Source], config: &Config) -> Result<Vec<Change>, Failure> {
    let broken: Vec<&Source> = new.iter().filter(|it| is_broken(it)).collect();
    let (old, new) = (states_of(old, config), states_of(new, config));
    is_seen(!old.is_empty() || !new.is_empty(), config)?;
    let mut changes = diff::compare(&old, &new);
    for change in changes.iter_mut().filter(|it| it.change == Kind::CrdVanishes) {
        if let Some(source) = broken.iter().find(|it| it.text.contains(&change.crd)) {
            change.worse = true;
            change.note = Some(format!("`{}` names it, and is not valid YAML", source.name));
        }
    }
    Ok(changes)
}

/// Whether a part of a text cannot be read, with whatever CRD stands there.
fn is_broken(source: &Source) -> bool {
    !yaml::parse(&source.text).errors.is_empty()
}

fn states_of(sources: &[Source], config: &Config) -> Vec<State> {
    sources.iter().flat_map(|it| diff::states(it, &config.options)).collect()
}

/// Nothing seen is nothing compared: that is no success.
fn is_seen(any: bool, config: &Config) -> Result<(), Failure> {
    if any || config.allow_empty {
        return Ok(());
    }
    let what = if config.options.scope == Scope::default() { "no CRD" } else { "no CRD in scope" };
    Err(Failure::new(format_args!("{what} was seen: nothing was compared (`--allow-empty` accepts that)")))
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
