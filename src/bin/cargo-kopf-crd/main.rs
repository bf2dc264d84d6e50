//! `cargo kopf-crd`: the command line.
//!
//! Reads arguments, files and the configuration; asks the library; prints; exits. Everything that is known about
//! CRDs, Kopf and the API server is in the library.

mod args;
mod cargo;
mod check;
mod completions;
mod config;
mod contract;
mod diff;
mod explain;
mod fix;
mod git;
mod generate;
mod init;
mod inputs;
mod man;
mod output;
mod patch;
mod replace;
mod shared;
mod simulate;

use args::Command;
use output::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match args::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => return output::usage(&error),
    };
    cli.color.write_global();
    let done = match &cli.command {
        Command::Check(args) => check::run(args),
        Command::Fix(args) => fix::run(args),
        Command::Patch(args) => patch::run(args),
        Command::Diff(args) => diff::run(args),
        Command::Contract(args) => contract::run(args),
        Command::Generate(args) => generate::run(args),
        Command::Init(args) => init::run(args),
        Command::Explain(args) => explain::run(args),
        Command::Simulate(args) => simulate::run(args),
        Command::Completions(args) => completions::run(args),
        Command::Man(args) => man::run(args),
    };
    match done {
        Ok(outcome) => outcome.into(),
        Err(Failure::BrokenPipe) => ExitCode::SUCCESS,
        Err(Failure::Error(message)) => output::failed(&message),
    }
}
