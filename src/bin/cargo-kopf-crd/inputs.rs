//! Which files there are, and their bytes as text.
//!
//! One input that cannot be had never hides the others: it comes out as a problem with its name. What a manifest
//! means is not known here.

use crate::output::Failure;
use crate::shared::InputArgs;
use globset::GlobBuilder;
use globset::GlobMatcher;
use ignore::WalkBuilder;
use kopf_crd::source::Source;
use kopf_crd::source::Span;
use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Component;
use std::path::Path;
use std::path::PathBuf;

/// The endings of files that a walk takes up.
const ENDINGS: [&str; 3] = ["yaml", "yml", "json"];

/// Spans count bytes in 32 bits; no manifest comes near.
const MAX_BYTES: u64 = u32::MAX as u64 / 2;

/// One thing to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Input {
    /// The name under which it is reported.
    pub(crate) name: String,
    /// The file; none for stdin.
    pub(crate) path: Option<PathBuf>,
    /// Whether it was named itself, not found in a directory or by a glob.
    pub(crate) named: bool,
}

/// Something that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    /// Its name and why.
    pub(crate) message: String,
}

/// All inputs, in the order in which they are reported, and what could not be reached.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    /// What to read: arguments in their order, files of a directory by name.
    pub(crate) found: Vec<Input>,
    /// What could not be reached.
    pub(crate) problems: Vec<Problem>,
}

/// The content of an input.
#[derive(Debug)]
pub(crate) enum Content {
    /// Text.
    Text(Source),
    /// No text: what can be shown of it, the place of the trouble in that, and what is wrong.
    NotText(Source, Span, String),
}

/// Finds all inputs that the arguments name.
pub(crate) fn find(args: &InputArgs) -> Result<Inputs, Failure> {
    let mut inputs = Inputs::default();
    let mut seen = BTreeSet::new();
    for path in &args.paths {
        let text = path.to_string_lossy();
        if text == "-" {
            add(Input { name: args.stdin_filename.clone(), path: None, named: true }, &mut seen, &mut inputs);
        } else if path.is_dir() {
            walk(path, None, &mut seen, &mut inputs);
        } else if fs::symlink_metadata(path).is_err() && text.contains(['*', '?', '[', '{']) {
            let before = inputs.found.len();
            let (base, glob) = glob(&text)?;
            walk(&base, Some(&glob), &mut seen, &mut inputs);
            if inputs.found.len() == before {
                inputs.problems.push(Problem { message: format!("no file matches `{text}`") });
            }
        } else {
            add(Input { name: shown(path), path: Some(path.clone()), named: true }, &mut seen, &mut inputs);
        }
    }
    Ok(inputs)
}

fn add(input: Input, seen: &mut BTreeSet<Option<PathBuf>>, inputs: &mut Inputs) {
    if seen.insert(input.path.as_deref().map(plain)) {
        inputs.found.push(input);
    }
}

/// Adds the manifests below a directory. Links to directories are not followed, so that loops end.
fn walk(dir: &Path, glob: Option<&GlobMatcher>, seen: &mut BTreeSet<Option<PathBuf>>, inputs: &mut Inputs) {
    let walk = WalkBuilder::new(dir)
        // What .gitignore says holds also where the repository itself is not there, as in an unpacked archive.
        .require_git(false)
        .sort_by_file_name(|a, b| a.cmp(b))
        .build();
    for entry in walk {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                inputs.problems.push(Problem { message: format!("cannot read the directory: {error}") });
                continue;
            }
        };
        let path = entry.path();
        let wanted = match glob {
            Some(glob) => glob.is_match(plain(path)),
            None => path.extension().is_some_and(|it| ENDINGS.iter().any(|end| it.eq_ignore_ascii_case(end))),
        };
        // A link counts as the file it leads to, and is told when that is gone; sockets and the like are left alone.
        let dangling = entry.path_is_symlink() && fs::metadata(path).is_err();
        if wanted && (path.is_file() || dangling) {
            add(Input { name: shown(path), path: Some(path.to_owned()), named: false }, seen, inputs);
        }
    }
}

/// The directory to walk for a glob, and the glob itself.
fn glob(text: &str) -> Result<(PathBuf, GlobMatcher), Failure> {
    let mut base = PathBuf::new();
    for part in Path::new(text).components() {
        if part.as_os_str().to_string_lossy().contains(['*', '?', '[', '{']) {
            break;
        }
        base.push(part);
    }
    if base.as_os_str().is_empty() {
        base.push(".");
    }
    let pattern = plain(Path::new(text));
    let glob = GlobBuilder::new(&pattern.to_string_lossy())
        .literal_separator(true)
        .build()
        .map_err(|error| Failure::new(format_args!("bad glob `{text}`: {}", error.kind())))?;
    Ok((base, glob.compile_matcher()))
}

/// A path without `./`, for comparing and showing.
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|it| *it != Component::CurDir).collect()
}

fn shown(path: &Path) -> String {
    plain(path).to_string_lossy().replace('\\', "/")
}

/// Reads an input.
pub(crate) fn read(input: &Input) -> Result<Content, Problem> {
    let wrong = |why: String| Problem { message: format!("cannot read `{}`: {why}", input.name) };
    let mut bytes = Vec::new();
    match &input.path {
        Some(path) => {
            let file = fs::File::open(path).map_err(|error| wrong(error.to_string()))?;
            let size = file.metadata().map_or(0, |it| it.len());
            bytes.reserve(usize::try_from(size.min(MAX_BYTES)).unwrap_or(0));
            file.take(MAX_BYTES + 1).read_to_end(&mut bytes)
        }
        None => std::io::stdin().lock().take(MAX_BYTES + 1).read_to_end(&mut bytes),
    }
    .map_err(|error| wrong(error.to_string()))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(wrong("it is larger than 2 GiB".to_owned()));
    }
    Ok(decode(&input.name, bytes))
}

/// The bytes as text: UTF-8, or UTF-16 with a byte order mark, as Go's YAML reader takes them.
fn decode(name: &str, bytes: Vec<u8>) -> Content {
    if let Some(big) = utf16(&bytes) {
        let unit = |it: &[u8]| {
            if big { u16::from_be_bytes([it[0], it[1]]) } else { u16::from_le_bytes([it[0], it[1]]) }
        };
        let units: Vec<u16> = bytes.chunks_exact(2).map(unit).collect();
        return match String::from_utf16(&units) {
            Ok(text) if bytes.len().is_multiple_of(2) => Content::Text(Source::new(name, text)),
            _ => not_text(name, &String::from_utf16_lossy(&units), "it is not valid UTF-16"),
        };
    }
    match String::from_utf8(bytes) {
        Ok(text) if !text.as_bytes().contains(&0) => Content::Text(Source::new(name, text)),
        Ok(text) => not_text(name, &text, "it is a binary file"),
        Err(error) if error.as_bytes().contains(&0) => {
            Content::NotText(Source::new(name, ""), Span::default(), "it is a binary file".to_owned())
        }
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let byte = error.as_bytes()[at];
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            let why = format!("it is not valid UTF-8: byte 0x{byte:02x} at offset {at}");
            // The replacement character stands where the first bad byte stood.
            Content::NotText(Source::new(name, text), Span::new(at, at + '\u{fffd}'.len_utf8()), why)
        }
    }
}

fn not_text(name: &str, text: &str, why: &str) -> Content {
    let at = text.find(['\0', '\u{fffd}']).unwrap_or(0);
    let first = text[at..].chars().next().map_or(0, char::len_utf8);
    Content::NotText(Source::new(name, text), Span::new(at, at + first), why.to_owned())
}

/// Whether the bytes start with a byte order mark of UTF-16, and whether it is big-endian.
fn utf16(bytes: &[u8]) -> Option<bool> {
    match bytes {
        [0xff, 0xfe, ..] => Some(false),
        [0xfe, 0xff, ..] => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_text_or_say_where_they_are_not() {
        type Expected = Result<&'static str, (u32, &'static str)>;
        let cases: [(&[u8], Expected); 7] = [
            (b"a: 1\n", Ok("a: 1\n")),
            (b"\xff\xfea\0:\0", Ok("\u{feff}a:")),
            (b"\xfe\xff\0a\0:", Ok("\u{feff}a:")),
            (b"\xff\xfea\0:", Err((0, "UTF-16"))),
            (b"ok: \xe9t\xe9", Err((4, "byte 0xe9 at offset 4"))),
            (b"\x7fELF\0\0", Err((4, "binary"))),
            (b"\x7fELF\xff\0", Err((0, "binary"))),
        ];
        for (bytes, expected) in cases {
            match (decode("x", bytes.to_vec()), expected) {
                (Content::Text(source), Ok(text)) => assert_eq!(source.text, text),
                (Content::NotText(_, span, why), Err((at, part))) => {
                    assert_eq!(span.start, at, "{bytes:?}: {why}");
                    assert!(why.contains(part), "{bytes:?}: {why}");
                }
                (content, _) => panic!("{bytes:?}: {content:?}"),
            }
        }
    }

    #[test]
    fn a_glob_is_walked_from_its_fixed_part() {
        let (base, glob) = glob("./crds/**/v*.yaml").expect("a good glob");
        assert_eq!(base, Path::new("./crds"));
        assert!(glob.is_match("crds/a/b/v1.yaml") && glob.is_match("crds/v1.yaml"));
        assert!(!glob.is_match("crds/a/x.yaml"));
    }
}
