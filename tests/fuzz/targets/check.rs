//! Any text can be checked and shown: no panic, and every finding points into the text.

#![no_main]

use kopf_crd::check::Options;
use kopf_crd::check::check;
use kopf_crd::source::Source;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let source = Source::new("fuzz.yaml", text);
    let report = check(&source, &Options { named: true, ..Options::default() });
    for finding in &report.diagnostics {
        for label in &finding.labels {
            assert!(text.get(label.span.range()).is_some(), "{}: {:?} is no range of the text", finding.rule, label.span);
        }
    }
});
