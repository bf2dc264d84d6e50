//! Any text can be checked.

#![no_main]

#[allow(dead_code, reason = "each target tries one promise")]
#[path = "../promises.rs"]
mod promises;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| promises::check(text));
