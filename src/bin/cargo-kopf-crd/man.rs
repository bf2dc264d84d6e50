//! `man`: the manual, made from the help texts.

use crate::args::Cli;
use crate::output;
use crate::output::Done;
use crate::output::Failure;
use crate::output::Outcome;
use clap::Args;
use clap::CommandFactory;
use std::path::PathBuf;

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

pub(crate) fn run(args: &ManArgs) -> Done {
    // A page is named after what one types: cargo-kopf-crd-check(1).
    let command = Cli::command().bin_name("cargo-kopf-crd");
    if let Some(dir) = &args.out {
        std::fs::create_dir_all(dir).and_then(|()| clap_mangen::generate_to(command, dir)).map_err(
            |error| Failure::new(format_args!("cannot write pages into `{}`: {error}", dir.display())),
        )?;
        return Ok(Outcome::Clean);
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    output::print(&String::from_utf8_lossy(&page))?;
    Ok(Outcome::Clean)
}
