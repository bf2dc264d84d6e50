//! `completions`: a script for a shell.

use crate::args::Cli;
use crate::args::CompletionsArgs;
use crate::output;
use crate::output::Done;
use crate::output::Outcome;
use clap::CommandFactory;

pub(crate) fn run(args: &CompletionsArgs) -> Done {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "cargo-kopf-crd", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Clean)
}
