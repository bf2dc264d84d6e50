//! The integration tests: one binary, one file an area.

mod admit;
#[cfg(feature = "check")]
mod admit_oracle;
mod contract;
mod effects;
mod kopf;
mod tidy;
#[cfg(feature = "check")]
mod yaml;
#[cfg(feature = "check")]
mod yaml_random;
