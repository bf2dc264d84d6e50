//! Any line gets an answer.

#![no_main]

#[allow(dead_code, reason = "each target tries one promise")]
#[path = "../promises.rs"]
mod promises;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| promises::simulate(text));
