//! `check`: judges manifests.

use crate::config;
use crate::config::Config;
use crate::inputs;
use crate::inputs::Content;
use crate::inputs::Input;
use crate::inputs::Problem;
use crate::output;
use crate::output::Done;
use crate::output::Failure;
use crate::output::Outcome;
use crate::shared::ContractArgs;
use crate::shared::InputArgs;
use crate::shared::LevelArgs;
use clap::Args;
use clap::builder::PossibleValuesParser;
use kopf_crd::check;
use kopf_crd::check::Options;
use kopf_crd::check::Report;
use kopf_crd::check::Summary;
use kopf_crd::render;
use kopf_crd::render::Format;
use kopf_crd::render::Piece;
use kopf_crd::render::Run;
use kopf_crd::source::Source;
use rayon::prelude::*;
use std::fs;
use std::panic;
use std::path::PathBuf;

/// Judges CRDs: does the API server keep what Kopf writes?
///
/// Reads manifests, finds the CRDs in them (also in lists), and runs what the operator writes through a model of the
/// API server. A finding shows the line to blame, the patch that is sent, what is stored, and the lines to add.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cargo kopf-crd check crds/
  helm template chart | cargo kopf-crd check -
  cargo kopf-crd check --result create_fn=object --writes status.phase=string crds/
  cargo kopf-crd check --only '*.example.com' --output json=report.json .

Exit codes: 0 clean (warnings allowed), 1 errors, 2 nothing to judge or something unreadable.")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// How to show findings; default: text, or github in its workflows.
    #[arg(long, value_name = "FORMAT", value_parser = formats(), help_heading = "Output")]
    pub(crate) format: Option<String>,
    /// Writes a report to a file as well. Repeatable.
    #[arg(long, value_name = "FORMAT=FILE", help_heading = "Output")]
    pub(crate) output: Vec<String>,
    #[command(flatten)]
    pub(crate) contract: ContractArgs,
    #[command(flatten)]
    pub(crate) levels: LevelArgs,
}

/// How many files are judged before what was found in them is printed.
const CHUNK: usize = 128;

/// A way to show the run, and where: stdout, or a file.
struct Target {
    format: Format,
    file: Option<PathBuf>,
    pieces: Vec<Piece>,
}

pub(crate) fn run(args: &CheckArgs) -> Done {
    let config = config::load(&args.contract, &args.levels, &args.input)?;
    let mut targets = targets(args)?;
    let inputs = inputs::find(&args.input)?;
    let mut problems = inputs.problems.len();
    inputs.problems.iter().for_each(tell);
    let mut summary = Summary::default();
    let formats: Vec<Format> = targets.iter().map(|it| it.format).collect();
    for chunk in inputs.found.chunks(CHUNK) {
        let judged: Vec<_> = chunk.par_iter().map(|it| judge(it, &config, &formats)).collect();
        for it in judged {
            match it {
                Ok((seen, pieces)) => {
                    summary.join(&seen);
                    show(&mut targets, pieces)?;
                }
                Err(problem) => {
                    problems += 1;
                    tell(&problem);
                }
            }
        }
    }
    let run = Run { summary, contract: config.options.contracts.general(), stated: config.stated };
    for target in &targets {
        let text = render::whole(target.format, &target.pieces, &run);
        match &target.file {
            None => output::print(&text)?,
            Some(path) => write(path, &text)?,
        }
    }
    Ok(outcome(&summary, problems, &config))
}

/// The formats that are asked for: one for stdout, others for files.
fn targets(args: &CheckArgs) -> Result<Vec<Target>, Failure> {
    let github = std::env::var_os("GITHUB_ACTIONS").is_some_and(|it| it == "true");
    let default = if github { Format::Github } else { Format::Text };
    let stdout = args.format.as_deref().and_then(Format::by_name).unwrap_or(default);
    let mut targets = vec![Target { format: stdout, file: None, pieces: Vec::new() }];
    for output in &args.output {
        let (name, file) = output.split_once('=').ok_or_else(|| {
            Failure::new(format_args!(
                "`--output {output}`: expected a format and a file, such as `json=report.json`"
            ))
        })?;
        let format = Format::by_name(name).ok_or_else(|| {
            let names: Vec<&str> = render::FORMATS.iter().map(|it| it.0).collect();
            Failure::new(format_args!(
                "`--output {output}`: there is no format `{name}`, but {}",
                names.join(", ")
            ))
        })?;
        targets.push(Target { format, file: Some(PathBuf::from(file)), pieces: Vec::new() });
    }
    Ok(targets)
}

/// Judges one input; its text is let go of before the next one is read.
fn judge(input: &Input, config: &Config, formats: &[Format]) -> Result<(Summary, Vec<Piece>), Problem> {
    let content = inputs::read(input)?;
    let options = Options { named: input.named && !config.allow_empty, ..config.options.clone() };
    let done = panic::catch_unwind(|| {
        let (source, report) = report(content, &options);
        let mut seen = Summary::default();
        seen.add(&report);
        (seen, formats.iter().map(|it| render::piece(*it, &source, &report)).collect())
    });
    done.map_err(|_| Problem {
        message: format!("cannot judge `{}`: an internal error; please report it with the file", input.name),
    })
}

fn report(content: Content, options: &Options) -> (Source, Report) {
    match content {
        Content::Text(source) => {
            let report = check::check(&source, options);
            (source, report)
        }
        Content::NotText(source, at, why) => {
            let report = check::not_text(&source, at, &why, options);
            (source, report)
        }
    }
}

/// Prints what can be printed already, and keeps the rest.
fn show(targets: &mut [Target], pieces: Vec<Piece>) -> Result<(), Failure> {
    for (target, piece) in targets.iter_mut().zip(pieces) {
        if target.file.is_none() && target.format.streams() {
            output::print(render::stream(&piece))?;
        } else {
            target.pieces.push(piece);
        }
    }
    Ok(())
}

fn write(path: &PathBuf, text: &str) -> Result<(), Failure> {
    let plain = anstream::adapter::strip_str(text).to_string();
    fs::write(path, plain)
        .map_err(|error| Failure::new(format_args!("cannot write `{}`: {error}", path.display())))
}

fn tell(problem: &Problem) {
    output::error(&problem.message);
}

/// What the shell is told. Nothing seen is nothing proven: that is said, and is no success.
fn outcome(summary: &Summary, problems: usize, config: &Config) -> Outcome {
    let seen = summary.crds + summary.skipped.out_of_scope;
    let mut missing = false;
    if let Some(least) = config.min_crds.filter(|it| seen < *it) {
        output::error(format_args!("{seen} CRDs were seen, and at least {least} were expected"));
        missing = true;
    } else if let Some(why) = config.idle(summary, "judged").filter(|_| summary.errors == 0) {
        output::error(why);
        missing = true;
    }
    match () {
        () if problems > 0 => Outcome::Incomplete,
        () if summary.errors > 0 => Outcome::Findings,
        () if missing => Outcome::Incomplete,
        () => Outcome::Clean,
    }
}

fn formats() -> PossibleValuesParser {
    PossibleValuesParser::new(render::FORMATS.iter().map(|it| it.0))
}
