//! The derive, the CRDs of derived types, and the status that survives a write.

#[cfg(feature = "check")]
mod generate;
mod oracle;
#[cfg(feature = "check")]
mod print;
mod quiet;
mod round_trip;
mod self_check;
mod shapes;
mod ui;
mod weight;
