//! The derive, the CRDs of derived types, and the status that survives a write.

mod oracle;
#[cfg(feature = "check")]
mod print;
mod quiet;
mod round_trip;
mod shapes;
mod weight;
