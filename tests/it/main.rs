//! The integration tests: one binary, one file an area.

// Tests talk to whoever runs them.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod admit;
#[cfg(feature = "check")]
mod admit_oracle;
#[cfg(feature = "check")]
mod object_oracle;
#[cfg(feature = "check")]
mod cases;
mod cel;
#[cfg(feature = "check")]
mod random_crd;
#[cfg(feature = "check")]
mod random_schema;
mod contract;
mod effects;
#[cfg(feature = "check")]
mod corpus;
#[cfg(feature = "check")]
mod door;
#[cfg(feature = "check")]
mod formats;
mod kopf;
#[cfg(feature = "check")]
mod real;
#[cfg(feature = "check")]
mod rules;
#[cfg(feature = "check")]
mod server;
#[cfg(feature = "check")]
mod simulate;
mod tidy;
mod verdict;
#[cfg(feature = "check")]
mod torn;
#[cfg(feature = "check")]
mod diff;
#[cfg(feature = "check")]
mod fix;
#[cfg(feature = "check")]
mod fix_random;
mod fix_real;
#[cfg(feature = "check")]
mod fuzz;
#[cfg(feature = "check")]
mod patch;
#[cfg(feature = "check")]
mod yaml;
#[cfg(feature = "check")]
mod yaml_random;
#[cfg(feature = "types")]
mod types;
