//! `completions`: a script for a shell.

use crate::args::Cli;
use crate::output;
use crate::output::Done;
use crate::output::Outcome;
use clap::Args;
use clap::CommandFactory;

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

pub(crate) fn run(args: &CompletionsArgs) -> Done {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "cargo-kopf-crd", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Clean)
}
