//! `simulate`: what the API server would make of an object, a patch, or lines of cases.

use crate::output;
use crate::output::Done;
use crate::output::Failure;
use crate::output::Outcome;
use clap::Args;
use clap::ValueEnum;
use kopf_crd::crd;
use kopf_crd::crd::Crd;
use kopf_crd::server::Endpoint;
use kopf_crd::server::admit;
use kopf_crd::simulate;
use kopf_crd::simulate::Question;
use kopf_crd::source::Source;
use kopf_crd::yaml;
use kopf_crd::yaml::Node;
use rayon::prelude::*;
use serde_json::Value;
use std::io;
use std::io::BufRead;
use std::io::Read;
use std::io::Write;
use std::path::Path;
use std::path::PathBuf;

/// Shows what the API server would make of an object or a patch: what is dropped, refused, stored.
///
/// An object alone is created. With --patch it is what the patch applies to; with --old it replaces that object.
/// `apiVersion`, `kind` and `metadata.name` may be left out.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cargo kopf-crd simulate --crd crd.yaml --object widget.yaml
  echo '{status: {kopf: {dummy: x}}}' | cargo kopf-crd simulate --crd crd.yaml --endpoint status --patch -
  cargo kopf-crd simulate --jsonl < cases.jsonl

Exit codes: 0 stored as sent, 1 something is dropped, refused or not certain, 2 the work could not be done.
With --jsonl: 0 as long as every line got an answer.")]
pub(crate) struct SimulateArgs {
    /// The CRD; of several in the file, that of the object's kind.
    #[arg(long, value_name = "FILE", required_unless_present = "jsonl")]
    pub(crate) crd: Option<PathBuf>,
    /// The object, YAML or JSON; `-` for stdin.
    #[arg(long, value_name = "FILE", conflicts_with = "jsonl")]
    pub(crate) object: Option<PathBuf>,
    /// A merge patch, or a JSON patch if it is a list.
    #[arg(long, value_name = "FILE", conflicts_with = "jsonl")]
    pub(crate) patch: Option<PathBuf>,
    /// What is stored.
    #[arg(long, value_name = "FILE", conflicts_with = "jsonl")]
    pub(crate) old: Option<PathBuf>,
    /// The version in the request's path; default: the storage version.
    #[arg(long, value_name = "VERSION", conflicts_with = "jsonl")]
    pub(crate) version: Option<String>,
    /// Where the request goes.
    #[arg(long, value_enum, value_name = "WHERE", default_value_t = Where::Main)]
    pub(crate) endpoint: Where,
    /// How to show the answer.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = SimulateFormat::Text)]
    pub(crate) format: SimulateFormat,
    /// Answers lines of JSON from stdin, in the format of the oracle.
    #[arg(long, conflicts_with = "crd")]
    pub(crate) jsonl: bool,
}

/// Where a request goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Where {
    /// The object itself.
    Main,
    /// Its `/status`.
    Status,
}

/// How `simulate` shows an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SimulateFormat {
    /// For people.
    Text,
    /// One JSON object.
    Json,
}

/// How many lines are answered before they are printed.
const CHUNK: usize = 256;

pub(crate) fn run(args: &SimulateArgs) -> Done {
    if args.jsonl {
        return lines();
    }
    let files = [&args.object, &args.patch, &args.old];
    if files.iter().filter(|it| it.as_deref() == Some(Path::new("-"))).count() > 1 {
        return Err(Failure::new("only one of --object, --patch and --old can be `-`"));
    }
    let path = args.crd.as_deref().ok_or_else(|| Failure::new("--crd is missing"))?;
    let source = Source::new(path.display().to_string(), read(path)?);
    let value = |path: &Option<std::path::PathBuf>| path.as_deref().map(document).transpose();
    let question = Question {
        version: args.version.clone(),
        endpoint: match args.endpoint {
            Where::Main => Endpoint::Main,
            Where::Status => Endpoint::Status,
        },
        object: value(&args.object)?,
        old: value(&args.old)?,
        patch: value(&args.patch)?,
    };
    let crd = pick(&source, &question)?;
    for refusal in admit::create(&crd).refusals {
        let at = source.position(refusal.at.start);
        let error = refusal.error;
        output::note(format_args!(
            "note: the API server does not accept this CRD: {}:{}:{}: {}: {}",
            source.name, at.line, at.column, error.field, error.detail
        ));
    }
    let exchange = simulate::ask(&crd, &question).map_err(Failure::new)?;
    output::print(&match args.format {
        SimulateFormat::Text => simulate::text(&exchange, &source),
        SimulateFormat::Json => format!("{:#}\n", simulate::json(&exchange, &source)),
    })?;
    let answer = &exchange.answer;
    let lossless = answer.lost.is_empty() && answer.lost_in_storage.is_empty() && answer.unknown.is_empty();
    Ok(if answer.code < 300 && lossless { Outcome::Clean } else { Outcome::Findings })
}

/// Answers lines in their order, on all cores.
fn lines() -> Done {
    let mut stdin = io::stdin().lock();
    let mut chunk: Vec<Vec<u8>> = Vec::with_capacity(CHUNK);
    loop {
        let mut line = Vec::new();
        let read = stdin.read_until(b'\n', &mut line);
        let read = read.map_err(|error| Failure::new(format_args!("cannot read stdin: {error}")))?;
        if !line.trim_ascii().is_empty() {
            chunk.push(line);
        }
        if read == 0 || chunk.len() >= CHUNK {
            let answers: Vec<String> = chunk.par_iter().map(|it| answer(it)).collect();
            let mut stdout = io::stdout().lock();
            for answer in answers {
                writeln!(stdout, "{answer}")?;
            }
            stdout.flush()?;
            chunk.clear();
        }
        if read == 0 {
            return Ok(Outcome::Clean);
        }
    }
}

fn answer(line: &[u8]) -> String {
    match std::str::from_utf8(line) {
        Ok(text) => simulate::answer(text),
        Err(error) => {
            format!("{{\"error\":\"bad input line: invalid UTF-8 after byte {}\"}}", error.valid_up_to())
        }
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    let fail = |error: io::Error| Failure::new(format_args!("cannot read `{}`: {error}", path.display()));
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        io::stdin().lock().read_to_end(&mut bytes).map_err(fail)?;
    } else {
        bytes = std::fs::read(path).map_err(fail)?;
    }
    String::from_utf8(bytes).map_err(|_| Failure::new(format_args!("`{}` is not UTF-8", path.display())))
}

/// The one document of a file.
fn document(path: &Path) -> Result<Value, Failure> {
    let source = Source::new(path.display().to_string(), read(path)?);
    let stream = yaml::parse(&source.text);
    if let Some(error) = stream.errors.first() {
        let at = source.position(error.span.start);
        return Err(Failure::new(format_args!(
            "{}:{}:{}: {}",
            source.name, at.line, at.column, error.message
        )));
    }
    match stream.documents.as_slice() {
        [document] => Ok(document.root.to_json()),
        [] => Err(Failure::new(format_args!("`{}` is empty", source.name))),
        several => {
            Err(Failure::new(format_args!("`{}` has {} documents, not one", source.name, several.len())))
        }
    }
}

/// The CRD of a file that fits the object.
fn pick(source: &Source, question: &Question) -> Result<Crd, Failure> {
    let stream = yaml::parse(&source.text);
    let mut nodes: Vec<&Node> = Vec::new();
    for document in &stream.documents {
        let items = document.root.get("items").map(Node::items).unwrap_or_default();
        nodes.extend(std::iter::once(&document.root).chain(items).filter(|it| crd::is_crd(it).is_some()));
    }
    let mut crds = Vec::new();
    for node in nodes {
        let read = crd::read(node);
        if let Some(error) = read.undecodable {
            let at = source.position(error.at.start);
            return Err(Failure::new(format_args!(
                "{}:{}:{}: the API server cannot decode this CRD: {}",
                source.name, at.line, at.column, error.message
            )));
        }
        crds.extend(read.crd);
    }
    if crds.len() > 1 {
        let object = question.object.as_ref().or(question.old.as_ref());
        let text = |key: &str| object.and_then(|it| it[key].as_str()).unwrap_or_default();
        let group = text("apiVersion").split_once('/').map_or("", |it| it.0);
        crds.retain(|it| it.names.kind == text("kind") && it.group == group);
    }
    let error = stream.errors.first().map(|it| format!(": {}", it.message)).unwrap_or_default();
    let count = crds.len();
    match crds.pop() {
        Some(crd) if count == 1 => Ok(crd),
        Some(_) => Err(Failure::new(format_args!("`{}` has several CRDs of that kind", source.name))),
        None => Err(Failure::new(format_args!("`{}` has no CRD of the object's kind{error}", source.name))),
    }
}
