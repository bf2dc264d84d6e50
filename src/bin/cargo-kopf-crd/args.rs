//! The commands, with the help people read; the arguments of each stand beside it.

use crate::check::CheckArgs;
use crate::completions::CompletionsArgs;
use crate::contract::ContractCommand;
use crate::diff::DiffArgs;
use crate::explain::ExplainArgs;
use crate::fix::FixArgs;
use crate::generate::GenerateArgs;
use crate::init::InitArgs;
use crate::man::ManArgs;
use crate::patch::PatchArgs;
use crate::simulate::SimulateArgs;
use clap::CommandFactory;
use clap::FromArgMatches;
use clap::Parser;
use clap::Subcommand;
use clap::ValueEnum;
use std::ffi::OsString;

/// Keeps what a Kopf operator writes into `status` alive.
///
/// The API server drops every field that a CRD does not declare, and answers 200. Kopf keeps progress, the
/// last-handled configuration and handler results there. This tool judges CRDs exactly as the API server would
/// treat what Kopf writes, and shows what to change.
#[derive(Debug, Parser)]
#[command(name = "cargo-kopf-crd", bin_name = "cargo kopf-crd", version, after_help = EXAMPLES)]
pub(crate) struct Cli {
    /// Colors the output.
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = Color::Auto, help_heading = "General")]
    pub(crate) color: Color,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  cargo kopf-crd check                      every CRD below this directory
  helm template . | cargo kopf-crd check -  what a chart renders
  cargo kopf-crd explain pruned-status      why a finding matters, and what to do

Exit codes: 0 clean, 1 findings, 2 the work could not be done.";

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(CheckArgs),
    Fix(FixArgs),
    Patch(PatchArgs),
    Diff(DiffArgs),
    Contract(ContractCommand),
    Generate(GenerateArgs),
    Init(InitArgs),
    Explain(ExplainArgs),
    Simulate(SimulateArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}
/// When to color.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR or CLICOLOR=0 say otherwise.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Color {
    /// Makes this the choice for everything that is printed.
    pub(crate) fn write_global(self) {
        match self {
            Color::Auto => {}
            Color::Always => anstream::ColorChoice::Always.write_global(),
            Color::Never => anstream::ColorChoice::Never.write_global(),
        }
    }
}

/// Reads the arguments. Cargo passes the name of a subcommand on; by hand it may be there or not.
pub(crate) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let mut words: Vec<OsString> = words.into_iter().collect();
    if words.get(1).is_some_and(|it| it == "kopf-crd") {
        words.remove(1);
    }
    let mut command = Cli::command();
    let matches = command.try_get_matches_from_mut(words)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}
