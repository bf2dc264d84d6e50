//! The built binary as scripts and people meet it.

#![allow(clippy::print_stdout, reason = "a skipped test says so")]

mod binary;
mod cli;
mod mend;
