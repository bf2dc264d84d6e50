//! Exit codes, and writing to the outside.
//!
//! 0: clean, 1: findings, 2: the work could not be done. A reader that went away (`| head`) is no failure.

use std::fmt::Display;
use std::io;
use std::io::Write;
use std::process::ExitCode;

/// What a command that did its work tells the shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing to complain about.
    Clean,
    /// Findings, or a difference that was asked for.
    Findings,
    /// Some of the work could not be done; what was wrong is already printed.
    Incomplete,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Clean => ExitCode::SUCCESS,
            Outcome::Findings => ExitCode::from(1),
            Outcome::Incomplete => ExitCode::from(2),
        }
    }
}

/// Why a command stopped.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Nobody reads any longer: stop without a word.
    BrokenPipe,
    /// A message for people: lowercase, saying what was tried.
    Error(String),
}

impl Failure {
    /// A failure with a message.
    pub(crate) fn new(message: impl Display) -> Self {
        Failure::Error(message.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
            _ => Failure::Error(format!("cannot write the output: {error}")),
        }
    }
}

/// What every command returns.
pub(crate) type Done = Result<Outcome, Failure>;

/// Writes text to stdout; escape sequences are stripped where no terminal wants them.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = anstream::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    Ok(())
}

/// Writes one line about the run itself to stderr. Errors are ignored: there is nowhere left to tell them.
pub(crate) fn note(text: impl Display) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Prints an error of usage, or the help that was asked for, as clap words it.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    // Help and version are no errors: clap says so by its exit code.
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Prints a message about the run that is an error.
pub(crate) fn error(message: impl Display) {
    note(format_args!("\u{1b}[1;31merror\u{1b}[0m: {message}"));
}

/// Says why nothing could be done.
pub(crate) fn failed(message: &str) -> ExitCode {
    error(message);
    ExitCode::from(2)
}
