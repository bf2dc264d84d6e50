//! The commands and their arguments, with the help people read.

use clap::Args;
use clap::CommandFactory;
use clap::FromArgMatches;
use clap::Parser;
use clap::Subcommand;
use clap::ValueEnum;
use std::ffi::OsString;
use std::path::PathBuf;

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
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Prints a completion script for a shell.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cargo kopf-crd completions bash > ~/.local/share/bash-completion/completions/cargo-kopf-crd
  cargo kopf-crd completions zsh  > ~/.zfunc/_cargo-kopf-crd

The script completes the word `cargo-kopf-crd`.")]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Prints the manual page, in roff.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cargo kopf-crd man | man -l -
  cargo kopf-crd man --out target/man")]
pub(crate) struct ManArgs {
    /// Writes a page per command into this directory instead.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
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
