//! How much longer `check` takes than parsing the same files alone, on one core and on all.
//!
//! `cargo bench -p cargo-kopf-crd -- [FOLDER]`. Without a folder: the real CRDs of `../shared/bench` when they are there,
//! else a corpus that a seeded generator writes. Parsing and checking alternate, batch by batch, so that a machine whose
//! speed drifts slows both; the median of some rounds stands for a batch, and what counts is the ratio of the sums.

#![allow(clippy::print_stdout, reason = "a benchmark prints")]

mod corpus;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use kopf_crd::check::{Options, check};
use kopf_crd::source::Source;
use kopf_crd::yaml;

/// How often a batch is measured.
const ROUNDS: usize = 5;

/// How many files make a batch.
const BATCH: usize = 100;

fn main() {
    let folder = std::env::args().skip(1).find(|it| !it.starts_with("--")).map(PathBuf::from);
    let folder = folder.or_else(real_corpus).unwrap_or_else(generated_corpus);
    let mut files = Vec::new();
    find_manifests(&folder, &mut files);
    files.sort();
    let bytes: u64 = files.iter().filter_map(|it| fs::metadata(it).ok()).map(|it| it.len()).sum();
    println!("{} files, {:.1} MB", files.len(), bytes as f64 / 1e6);

    let options = Options::default();
    let parse_one = |source: &Source| yaml::parse(&source.text).documents.len();
    let check_one = |source: &Source| check(source, &options).diagnostics.len();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);

    // A batch takes well under a second: what else the machine does then hits all three alike.
    let (mut parsing, mut checking, mut everywhere) = (0.0, 0.0, 0.0);
    for batch in files.chunks(BATCH) {
        let mut rounds = [const { Vec::new() }; 3];
        for _ in 0..ROUNDS {
            rounds[0].push(timed(batch, 1, parse_one));
            rounds[1].push(timed(batch, 1, check_one));
            rounds[2].push(timed(batch, cores, check_one));
        }
        let [parse, check, shared] = rounds.map(median);
        parsing += parse;
        checking += check;
        everywhere += shared;
    }
    let speed = |seconds: f64| bytes as f64 / 1e6 / seconds;
    println!("parse alone, 1 core   {:6.1} MB/s", speed(parsing));
    println!("check, 1 core         {:6.1} MB/s", speed(checking));
    println!("check, {cores} cores        {:6.1} MB/s", speed(everywhere));
    println!("check / parse         {:6.2}", checking / parsing);
    println!("1 core / {cores} cores      {:6.2}", checking / everywhere);
    let largest = files.iter().filter_map(|it| fs::metadata(it).ok()).map(|it| it.len()).max().unwrap_or(0);
    if let Some(peak) = peak_memory() {
        println!("peak memory           {peak:6.1} MB (largest file {:.1} MB)", largest as f64 / 1e6);
    }
}

/// Reads and works on every file, on so many threads, and says how many seconds it took.
fn timed(files: &[PathBuf], threads: usize, work: impl Fn(&Source) -> usize + Sync) -> f64 {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let Ok(text) = fs::read_to_string(file) else { continue };
                    let source = Source::new(file.display().to_string(), text);
                    done.fetch_add(work(&source), Ordering::Relaxed);
                }
            });
        }
    });
    std::hint::black_box(done.load(Ordering::Relaxed));
    start.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn find_manifests(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            find_manifests(&path, found);
        } else if path.extension().is_some_and(|it| it == "yaml" || it == "yml" || it == "json") {
            found.push(path);
        }
    }
}

/// The real CRDs, unpacked once below `target`.
fn real_corpus() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let archive = root.join("../shared/bench/crds.tar.xz");
    let folder = root.join("target/bench-corpus");
    if !archive.exists() {
        println!("../shared is not here: a generated corpus is used");
        return None;
    }
    if !folder.exists() {
        fs::create_dir_all(&folder).ok()?;
        let unpacked = Command::new("tar").arg("xf").arg(&archive).arg("-C").arg(&folder).status();
        if !unpacked.is_ok_and(|it| it.success()) {
            let _ = fs::remove_dir_all(&folder);
            println!("../shared/bench could not be unpacked: a generated corpus is used");
            return None;
        }
    }
    Some(folder)
}

fn generated_corpus() -> PathBuf {
    let folder = std::env::temp_dir().join("kopf-crd-bench-corpus");
    fs::create_dir_all(&folder).expect("a temporary folder");
    for number in 0..corpus::CRDS {
        fs::write(folder.join(format!("{number:04}.yaml")), corpus::crd(number)).expect("a temporary file");
    }
    folder
}

/// The largest resident set so far, in MB; only where `/proc` says it.
fn peak_memory() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").trim().parse::<f64>().ok().map(|kb| kb / 1e3)
}
