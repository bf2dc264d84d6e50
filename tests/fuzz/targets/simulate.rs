//! Any line gets an answer in JSON: no panic, whatever the CRD and the requests are.

#![no_main]

use kopf_crd::simulate;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &str| {
    let answer = simulate::answer(line);
    assert!(kopf_crd::yaml::json::parse(&answer).is_ok(), "the answer is JSON: {answer}");
});
