//! What a Kopf operator writes into the objects that it handles, as data.
//!
//! This module knows no schemas and no API server: it says what is sent, not what becomes of it.

mod version;
mod text;
mod blake2b;
pub mod patch;
pub mod annotations;
pub mod record;
mod field;
pub mod storage;
pub mod progress;
pub mod diffbase;
pub mod results;
pub mod peering;
mod value;
mod contract;
mod slots;
mod config;
pub mod effects;

pub use config::ContractConfig;
pub use config::DiffbaseKind;
pub use config::OtherResults;
pub use config::StorageKind;
pub use contract::Contract;
pub use contract::Kind;
pub use contract::Sample;
pub use contract::Slot;
pub use field::Field;
pub use value::Shape;
pub use value::Written;
pub use version::KopfVersion;
