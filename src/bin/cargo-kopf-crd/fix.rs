//! `fix`: mends manifests in place, or shows how.

use crate::config;
use crate::config::Config;
use crate::inputs;
use crate::inputs::Content;
use crate::inputs::Input;
use crate::output;
use crate::output::Done;
use crate::output::Failure;
use crate::output::Outcome;
use crate::replace;
use crate::shared::ContractArgs;
use crate::shared::InputArgs;
use crate::shared::LevelArgs;
use crate::shared::MendArgs;
use clap::Args;
use kopf_crd::check;
use kopf_crd::check::Options;
use kopf_crd::check::Report;
use kopf_crd::check::Summary;
use kopf_crd::fix;
use kopf_crd::render;
use kopf_crd::render::Format;
use kopf_crd::source::Source;
use std::panic;

/// Mends CRDs so that the API server keeps what Kopf writes.
///
/// Adds what is missing and leaves every other byte as it is; judges the result again before it is written. By default
/// only `status.kopf` and the known results are opened. What is left is said as in `check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cargo kopf-crd fix crds/
  cargo kopf-crd fix --diff crds/
  cargo kopf-crd fix --result create_fn=object --style open crd.yaml
  cat crd.yaml | cargo kopf-crd fix - > mended.yaml

Exit codes: 0 nothing is left (warnings allowed), 1 errors are left, 2 something could not be read or written.")]
pub(crate) struct FixArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Prints what would change as a unified diff, and writes nothing.
    #[arg(long, help_heading = "Fixes")]
    pub(crate) diff: bool,
    #[command(flatten)]
    pub(crate) mend: MendArgs,
    #[command(flatten)]
    pub(crate) contract: ContractArgs,
    #[command(flatten)]
    pub(crate) levels: LevelArgs,
}

pub(crate) fn run(args: &FixArgs) -> Done {
    let config = config::load(&args.contract, &args.levels, &args.input)?;
    let inputs = inputs::find(&args.input)?;
    let mut problems = inputs.problems.len();
    inputs.problems.iter().for_each(|it| output::error(&it.message));
    let mut summary = Summary::default();
    for input in &inputs.found {
        match one(args, &config, input) {
            Ok(report) => summary.add(&report),
            Err(Failure::Error(message)) => {
                problems += 1;
                output::error(message);
            }
            Err(failure) => return Err(failure),
        }
    }
    if problems > 0 {
        return Ok(Outcome::Incomplete);
    }
    if summary.errors > 0 {
        return Ok(Outcome::Findings);
    }
    Ok(match config.idle(&summary, "mended") {
        Some(why) => {
            output::error(why);
            Outcome::Incomplete
        }
        None => Outcome::Clean,
    })
}

/// Mends one input; gives the report on what it is afterwards.
fn one(args: &FixArgs, config: &Config, input: &Input) -> Result<Report, Failure> {
    let content = inputs::read(input).map_err(|it| Failure::new(it.message))?;
    let named = input.named && !config.allow_empty;
    let options = Options { named, width: args.mend.style.width(), ..config.options.clone() };
    let source = match content {
        Content::Text(source) => source,
        Content::NotText(source, at, why) => {
            let report = check::not_text(&source, at, &why, &options);
            tell(&source, &report);
            return Ok(report);
        }
    };
    let safety = args.mend.safety();
    let fixed = panic::catch_unwind(|| fix::fix(&source, &options, safety)).map_err(|_| {
        let name = &input.name;
        Failure::new(format_args!("cannot mend `{name}`: an internal error; please report it with the file"))
    })?;
    let changed = fixed.text != source.text;
    if args.diff {
        output::print(&fix::unified_diff(&source.name, &source.text, &fixed.text))?;
    } else if input.path.is_none() {
        output::print(&fixed.text)?;
    } else if let Some(path) = input.path.as_ref().filter(|_| changed) {
        replace::replace(path, &source.text, &fixed.text)?;
    }
    if changed {
        let verb = if args.diff { "can be mended" } else { "mended" };
        let count = fixed.applied.len();
        let plural = if count == 1 { "" } else { "s" };
        output::note(format_args!("{}: {count} finding{plural} {verb}", source.name));
    }
    for name in &fixed.left {
        output::note(format_args!("{}: `{name}` is left as it is: no fix makes it whole", source.name));
    }
    tell(&Source::new(source.name, fixed.text), &fixed.report);
    Ok(fixed.report)
}

/// Says what is left, beside the diff or the text on stdout.
fn tell(source: &Source, report: &Report) {
    let piece = render::piece(Format::Text, source, report);
    let text = render::stream(&piece);
    if !text.is_empty() {
        output::note(text.trim_end());
    }
}
