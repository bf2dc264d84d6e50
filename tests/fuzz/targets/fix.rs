//! Any text can be mended: no panic, a second fix has nothing to do, and no slot is lost that was kept.

#![no_main]

use kopf_crd::check::Options;
use kopf_crd::check::Report;
use kopf_crd::check::check;
use kopf_crd::diagnostic::Safety;
use kopf_crd::fix::fix;
use kopf_crd::source::Source;
use kopf_crd::verdict::Fate;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let options = Options { named: true, ..Options::default() };
    let before = check(&Source::new("fuzz.yaml", text), &options);
    for safety in [Safety::Safe, Safety::Unsafe] {
        let fixed = fix(&Source::new("fuzz.yaml", text), &options, safety);
        assert_eq!(fixed.text == text, fixed.applied.is_empty(), "an applied fix changes the text, nothing else does");
        assert!(lost(&fixed.report) <= lost(&before), "{safety:?} loses more than there was\n{}", fixed.text);
        let again = fix(&Source::new("fuzz.yaml", fixed.text.as_str()), &options, safety);
        assert_eq!(again.text, fixed.text, "a second fix changes what the first one left");
    }
});

/// How many slots are lost, in all versions of all CRDs.
fn lost(report: &Report) -> usize {
    let versions = report.crds.iter().flat_map(|it| &it.judgement.versions);
    versions.flat_map(|it| &it.verdicts).filter(|it| it.fate >= Fate::Pruned).count()
}
