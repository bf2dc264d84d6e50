//! The hidden test of a derived type: asserts the guarantee, and hands the CRD to `cargo kopf-crd generate` when that asks.
//!
//! The only place of the library that reads the environment and writes files, and only inside a user's own test or
//! `crdgen!` program.

use std::env;
use std::fs;
use std::io;
use std::io::Write;
use std::panic;
use std::panic::AssertUnwindSafe;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::json;

use crate::types::KopfCrd;
use crate::types::example;
use crate::types::probe;
use crate::types::self_check;

/// Names the directory to export to. Without it nothing is written.
const DIRECTORY: &str = "KOPF_CRD_EXPORT_DIR";

/// Where a type is derived.
#[derive(Debug, Clone, Copy)]
pub struct Origin {
    /// The name of the root type.
    pub ty: &'static str,
    /// Its module.
    pub module: &'static str,
    /// The file of the derive, as the compiler names it.
    pub file: &'static str,
    /// The line in it.
    pub line: u32,
}

/// What the hidden test does.
///
/// # Panics
/// When the API server would refuse the CRD or lose what Kopf writes. Never when a CRD is asked for: whoever asks judges
/// it too.
pub fn export<T: KopfCrd + DeserializeOwned + Serialize>(origin: Origin) {
    if let Some(directory) = env::var_os(DIRECTORY) {
        let exported = panic::catch_unwind(AssertUnwindSafe(|| exported::<T>(origin)));
        let envelope = exported.unwrap_or_else(|cause| failed(origin, &panic_text(cause.as_ref())));
        if let Err(error) = write(Path::new(&directory), origin, &envelope) {
            panic!("`{}` cannot be exported: {error}", origin.ty);
        }
        return;
    }
    let problems = problems::<T>();
    assert!(problems.is_empty(), "{}", told(origin, &problems));
}

/// Everything that is wrong with the CRD of a type.
fn problems<T: KopfCrd + DeserializeOwned + Serialize>() -> Vec<String> {
    let crd = T::crd();
    let contract = match example::config_of::<T>(&crd).contract() {
        Ok(contract) => contract,
        Err(message) => return vec![format!("the attributes contradict each other: {message}")],
    };
    let lost = self_check::check_crd(&crd, &contract).err().map_or_else(Vec::new, |it| it.reasons);
    lost.into_iter().chain(probe::pruned_by_flattening::<T>(&example::schema_of(&crd))).collect()
}

fn told(origin: Origin, problems: &[String]) -> String {
    let Origin { ty, file, line, .. } = origin;
    format!("the CRD of `{ty}` ({file}:{line}) does not keep what Kopf writes:\n{}", problems.join("\n"))
}

/// What `cargo kopf-crd generate` reads.
fn exported<T: KopfCrd + DeserializeOwned + Serialize>(origin: Origin) -> Value {
    let crd = T::crd();
    json!({
        "schema": "kopf-crd/export/v1",
        "type": origin.ty,
        "module": origin.module,
        "file": origin.file,
        "line": origin.line,
        "contract": example::config_of::<T>(&crd),
        "problems": probe::pruned_by_flattening::<T>(&example::schema_of(&crd)),
        "crd": crd,
    })
}

fn failed(origin: Origin, message: &str) -> Value {
    let Origin { ty, module, file, line } = origin;
    json!({"schema": "kopf-crd/export/v1", "type": ty, "module": module, "file": file, "line": line, "error": message})
}

fn panic_text(cause: &(dyn std::any::Any + Send)) -> String {
    let text = cause.downcast_ref::<&str>().map(|it| (*it).to_owned());
    text.or_else(|| cause.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a text".to_owned())
}

/// One file a type: tests run side by side, and one module may have a type of the name that another has.
fn write(directory: &Path, origin: Origin, envelope: &Value) -> io::Result<()> {
    let name = format!("{}.{}.json", origin.module, origin.ty);
    let name = name.replace(|it: char| !(it.is_alphanumeric() || it == '_' || it == '.'), ".");
    fs::write(directory.join(name), envelope.to_string())
}

/// One type of [`crdgen!`](crate::crdgen).
pub struct Exporter {
    export: fn(),
    crd: fn() -> Value,
}

impl Exporter {
    /// An exporter; the function exports when asked.
    pub fn new<T: KopfCrd>(export: fn()) -> Self {
        Self { export, crd: || serde_json::to_value(T::crd()).expect("a CRD is plain data") }
    }
}

/// Prints the CRDs as JSON documents, or exports them when `cargo kopf-crd generate` asks.
pub fn crdgen(types: &[Exporter]) {
    if env::var_os(DIRECTORY).is_some() {
        return types.iter().for_each(|it| (it.export)());
    }
    let text: String = types.iter().map(|it| format!("{:#}\n", (it.crd)())).collect();
    // A reader that went away is no failure.
    let _ = io::stdout().lock().write_all(text.as_bytes());
}
