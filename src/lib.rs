//! Keeps what a Kopf operator writes into `status` alive.
//!
//! Modules stand in reading order: a module uses only modules above it (a test holds this).

pub mod source;
#[cfg(feature = "check")]
mod changes;
pub mod path;
mod time;
pub mod yaml;
pub mod schema;
pub mod crd;
pub mod server;
pub mod kopf;
pub mod verdict;
#[cfg(feature = "check")]
pub mod diagnostic;
#[cfg(feature = "check")]
pub mod rules;
#[cfg(feature = "check")]
pub mod check;
#[cfg(feature = "check")]
pub mod fix;
#[cfg(feature = "check")]
pub mod patch;
#[cfg(feature = "check")]
pub mod diff;
#[cfg(feature = "check")]
pub mod render;
#[cfg(feature = "check")]
pub mod simulate;
pub mod starter;
#[cfg(feature = "types")]
pub mod types;
#[cfg(feature = "check")]
pub mod generate;

#[cfg(feature = "types")]
pub use kopf_crd_derive::KopfCrd;
#[cfg(feature = "types")]
#[doc(hidden)]
pub use types::private as __private;
#[cfg(feature = "types")]
pub use types::{Facts, Kopf, KopfCrd, KopfState, Lost, ResultType, RoundTrip, check_crd, preserve};
