//! What an operator does after a loss: stalls, loops, forgets.
//!
//! This module does not know why something was lost.

use serde_json::Value;

use crate::kopf::Contract;
use crate::kopf::Slot;

/// What became of a patch.
#[derive(Debug, Clone, Copy)]
pub struct Loss<'a> {
    /// Whether the server refused the patch (422); else it dropped parts of it.
    pub rejected: bool,
    /// Whether the version has the `/status` endpoint.
    pub status_subresource: bool,
    /// The merge patch that was sent, from a [`Sample`](crate::kopf::Sample).
    pub patch: &'a Value,
    /// The object afterwards.
    pub stored: &'a Value,
}

/// What the operator does then, in one sentence; nothing when nothing of the slot is lost.
pub fn of(_contract: &Contract, _slot: &Slot, _loss: &Loss<'_>) -> Option<String> {
    None
}
