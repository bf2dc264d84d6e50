//! Thousands of real files, mended and patched: what holds of every mended text holds of these.
//!
//! `KOPF_CRD_CASES` says how many are taken (default: all), `KOPF_CRD_SEED` which; both are printed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use kopf_crd::check::Options;
use kopf_crd::rules::mend::Width;

use super::fix::{holds, options};
use super::fix_random::setting;
use super::patch::patched;
use super::random_crd::Random;
use super::real::unpacked;

fn manifests(dir: &Path, found: &mut Vec<PathBuf>) {
    for path in fs::read_dir(dir).expect("a folder").flatten().map(|it| it.path()) {
        match path.extension().and_then(|it| it.to_str()) {
            _ if path.is_dir() => manifests(&path, found),
            Some("yaml" | "yml" | "json") => found.push(path),
            _ => {}
        }
    }
}

#[test]
#[ignore = "minutes: .ci/run takes some of the files"]
fn real_crds_stay_whole_when_mended() {
    let Some(folder) = unpacked() else { return };
    let mut files = Vec::new();
    manifests(&folder, &mut files);
    files.sort();
    let (seed, count) = (setting("KOPF_CRD_SEED", 1), setting("KOPF_CRD_CASES", files.len() as u64));
    println!("KOPF_CRD_SEED={seed} KOPF_CRD_CASES={count}");
    let mut random = Random::new(seed);
    while files.len() as u64 > count {
        files.swap_remove(random.below(files.len()));
    }
    let counts = Mutex::new((0, 0));
    let queue = Mutex::new(files.iter());
    let work = || {
        loop {
            let Some(path) = queue.lock().expect("no panic").next() else { break };
            let Ok(text) = fs::read_to_string(path) else { continue };
            let name = path.strip_prefix(&folder).expect("below the folder").display().to_string();
            let mended = holds(&name, &text, &options());
            holds(&name, &text, &Options { width: Width::Open, ..options() });
            let patches = patched(&name, &text);
            let mut counts = counts.lock().expect("no panic");
            *counts = (counts.0 + usize::from(mended), counts.1 + patches);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let (mended, patches) = counts.into_inner().expect("no panic");
    println!("{mended} of {} files were mended, {patches} CRDs patched", files.len());
    assert!(mended * 2 > files.len() && patches * 2 > files.len(), "{mended} files, {patches} CRDs");
}
