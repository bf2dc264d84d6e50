//! Replacing a file by a text, as a whole or not at all.
//!
//! Links stay links, permissions and owner stay what they were.

use crate::output::Failure;
use std::fs;
use std::io;
use std::io::Write;
use std::path::Path;
use std::path::PathBuf;

/// Puts `new` in the place of `old`. Does nothing to a file that is not what was read.
pub(crate) fn replace(path: &Path, old: &str, new: &str) -> Result<(), Failure> {
    let wrong = |why: String| Failure::new(format_args!("cannot write `{}`: {why}", path.display()));
    let real = fs::canonicalize(path).map_err(|error| wrong(error.to_string()))?;
    let bytes = fs::read(&real).map_err(|error| wrong(error.to_string()))?;
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        return Err(wrong("it is UTF-16: convert it to UTF-8 first".to_owned()));
    }
    if bytes != old.as_bytes() {
        return Err(wrong("it has changed since it was read".to_owned()));
    }
    let metadata = fs::metadata(&real).map_err(|error| wrong(error.to_string()))?;
    if metadata.permissions().readonly() {
        return Err(wrong("it is read-only".to_owned()));
    }
    // Another name of the same file must see the new text too: there is no other way than to write into it.
    let done = if names(&metadata) > 1 { fs::write(&real, new) } else { swap(&real, &metadata, new) };
    done.map_err(|error| wrong(error.to_string()))
}

/// Writes a file beside the old one and moves it over it.
fn swap(real: &Path, metadata: &fs::Metadata, new: &str) -> io::Result<()> {
    let beside = beside(real);
    let written = write(&beside, metadata, new).and_then(|()| fs::rename(&beside, real));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

fn write(beside: &PathBuf, metadata: &fs::Metadata, new: &str) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).open(beside)?;
    file.write_all(new.as_bytes())?;
    keep_owner(beside, metadata);
    file.set_permissions(metadata.permissions())?;
    file.sync_all()
}

fn beside(real: &Path) -> PathBuf {
    let name = real.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    real.with_file_name(format!(".{name}.kopf-crd-{}", std::process::id()))
}

#[cfg(unix)]
fn names(metadata: &fs::Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    metadata.nlink()
}

#[cfg(not(unix))]
fn names(_metadata: &fs::Metadata) -> u64 {
    1
}

/// Best effort: only root may give files away.
#[cfg(unix)]
fn keep_owner(path: &Path, metadata: &fs::Metadata) {
    use std::os::unix::fs::MetadataExt;
    let _ = std::os::unix::fs::chown(path, Some(metadata.uid()), Some(metadata.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_path: &Path, _metadata: &fs::Metadata) {}
