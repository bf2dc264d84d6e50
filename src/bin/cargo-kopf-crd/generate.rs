//! `generate`: CRDs from the Rust types of a package or workspace, without a `main` of the user's.
//!
//! The derive leaves a hidden test beside each type. This command builds the test programs with cargo, runs those tests
//! with the request to export, and prints what came of it, once it is judged. With `--bin` or `--example` it runs that
//! program instead.

use crate::cargo;
use crate::cargo::CargoArgs;
use crate::config;
use crate::output;
use crate::output::Done;
use crate::output::Failure;
use crate::output::Outcome;
use crate::shared::ContractArgs;
use crate::shared::InputArgs;
use crate::shared::LevelArgs;
use clap::Args;
use clap::ValueEnum;
use kopf_crd::check::Options;
use kopf_crd::check::Scope;
use kopf_crd::diagnostic::Severity;
use kopf_crd::generate;
use kopf_crd::generate::Exported;
use kopf_crd::generate::Generated;
use kopf_crd::render;
use kopf_crd::render::Format;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::path::PathBuf;

/// Makes CRDs from the Rust types that derive `KopfCrd`.
///
/// Builds the tests of the selected packages with cargo and runs those that the derive left beside each type; nothing of
/// the user's own runs. Versions of one kind are merged. What is printed has passed `check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cargo kopf-crd generate                        the CRDs of this package, on stdout
  cargo kopf-crd generate --out crds             a file each
  cargo kopf-crd generate --out crds --check     in CI: fails with a diff where a file is stale
  cargo kopf-crd generate --workspace --all-features --locked
  cargo kopf-crd generate --bin crdgen           what a program made with `kopf_crd::crdgen!` gives

The first build takes what `cargo test` takes; later ones are incremental.
Exit codes: 0 done, 1 a CRD would lose what Kopf writes or a file is stale, 2 the work could not be done.")]
pub(crate) struct GenerateArgs {
    /// Writes a file for each CRD into this directory, `NAME.yaml`; comments at the head of a file stay.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
    /// Writes nothing; prints a diff and fails if files are stale or missing.
    #[arg(long, requires = "out", help_heading = "Output")]
    pub(crate) check: bool,
    /// The form of the output.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = GenerateFormat::Yaml, help_heading = "Output")]
    pub(crate) format: GenerateFormat,
    /// Runs this binary instead of tests; it is made with `kopf_crd::crdgen!`, or prints CRDs itself.
    #[arg(long, value_name = "NAME", conflicts_with = "example", help_heading = "Types")]
    pub(crate) bin: Option<String>,
    /// Runs this example instead of tests.
    #[arg(long, value_name = "NAME", help_heading = "Types")]
    pub(crate) example: Option<String>,
    #[command(flatten)]
    pub(crate) cargo: CargoArgs,
    #[command(flatten)]
    pub(crate) contract: ContractArgs,
    #[command(flatten)]
    pub(crate) levels: LevelArgs,
}

/// How `generate` writes a CRD.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GenerateFormat {
    /// YAML; on stdout, documents with `---` between them.
    Yaml,
    /// JSON; on stdout, one document after the other.
    Json,
}

impl GenerateFormat {
    /// The extension of a file.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            GenerateFormat::Yaml => "yaml",
            GenerateFormat::Json => "json",
        }
    }
}

/// A CRD as text, with the file that it belongs to.
struct Printed {
    file: String,
    text: String,
}

pub(crate) fn run(args: &GenerateArgs) -> Done {
    let config = config::load(&args.contract, &args.levels, &InputArgs::default())?;
    let exported = cargo::export(args)?;
    if exported.is_empty() {
        return Err(Failure::new(nothing(args)));
    }
    // What was asked for is in scope, whatever the configuration says of `check`.
    let options = Options { scope: Scope::default(), ..config.options };
    let mut sound = true;
    for it in exported.iter().filter(|it| !it.problems.is_empty()) {
        sound = false;
        it.problems.iter().for_each(|problem| output::error(format_args!("{}: {problem}", it.origin)));
    }
    let merged = match generate::merge(exported.into_iter().map(plain).collect()) {
        Ok(merged) => merged,
        Err(messages) => {
            messages.iter().for_each(output::error);
            return Ok(Outcome::Findings);
        }
    };
    let mut printed = Vec::new();
    for it in &merged {
        let file = format!("{}.{}", it.name, args.format.extension());
        let text = print(it, args.format)?;
        sound &= judged(it, &file, &text, args, &options)?;
        printed.push(Printed { file, text });
    }
    if !sound {
        output::note("nothing is written: the API server would lose what Kopf writes");
        return Ok(Outcome::Findings);
    }
    match &args.out {
        Some(directory) if args.check => compare(directory, &printed),
        Some(directory) => write(directory, &printed),
        None => show(&printed, args.format),
    }
}

/// What a type said is wrong is told; the rest goes on.
fn plain(exported: Exported) -> Exported {
    Exported { problems: Vec::new(), ..exported }
}

fn nothing(args: &GenerateArgs) -> String {
    if args.bin.is_some() || args.example.is_some() {
        return "the program printed no CRD: expected YAML or JSON on stdout, as `kopf_crd::crdgen!` prints it".to_owned();
    }
    "no type derives `KopfCrd` here\n  \
     the derive stands beside kube's: `#[derive(CustomResource, KopfCrd)]` with `#[kube(…, schema = \"manual\")]`\n  \
     types in packages that are not selected are not seen: `--workspace`, `-p NAME`\n  \
     types behind features are not seen without them: `--features NAME`, `--all-features`\n  \
     tests that are switched off (`test = false`, `harness = false`, `#[kopf(no_export)]`) cannot be asked: use \
     `kopf_crd::crdgen!` and `--bin NAME`"
        .to_owned()
}

fn print(generated: &Generated, format: GenerateFormat) -> Result<String, Failure> {
    match format {
        GenerateFormat::Json => Ok(generate::json(&generated.crd)),
        GenerateFormat::Yaml => generate::yaml(&generated.crd)
            .map_err(|message| Failure::new(format_args!("the CRD `{}`: {message}", generated.name))),
    }
}

/// Judges a CRD by the same door as `check`, and shows what is wrong.
fn judged(
    generated: &Generated,
    file: &str,
    text: &str,
    args: &GenerateArgs,
    options: &Options,
) -> Result<bool, Failure> {
    let flags = args.contract.to_config();
    let reports = generate::judge(generated, file, text, &flags, options).map_err(|message| {
        let origins: Vec<String> = generated.origins.iter().map(ToString::to_string).collect();
        Failure::new(format_args!("the contract of {} makes no sense: {message}", origins.join(", ")))
    })?;
    let mut sound = true;
    for (source, mut report) in reports {
        // Notes are about choices of the author, who has made them in the type.
        report.diagnostics.retain(|it| it.severity != Severity::Note);
        if report.diagnostics.is_empty() {
            continue;
        }
        sound &= report.gravest() != Some(Severity::Error);
        let piece = render::piece(Format::Text, &source, &report);
        output::note(render::stream(&piece).trim_end());
    }
    Ok(sound)
}

fn show(printed: &[Printed], format: GenerateFormat) -> Done {
    let separator = match format {
        GenerateFormat::Yaml => "---\n",
        GenerateFormat::Json => "",
    };
    let texts: Vec<&str> = printed.iter().map(|it| it.text.as_str()).collect();
    output::print(&texts.join(separator))?;
    Ok(Outcome::Clean)
}

/// The files with what they should hold and what they hold; none for a file that is not there.
fn files(directory: &Path, printed: &[Printed]) -> Result<Vec<(PathBuf, String, Option<String>)>, Failure> {
    let mut found = Vec::new();
    for it in printed {
        let path = directory.join(&it.file);
        let existing = match fs::read_to_string(&path) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => {
                return Err(Failure::new(format_args!("cannot read `{}`: {error}", path.display())));
            }
        };
        let json = it.file.ends_with(".json");
        let wanted = match &existing {
            Some(existing) if !json => generate::with_head(existing, &it.text),
            _ => it.text.clone(),
        };
        found.push((path, wanted, existing));
    }
    Ok(found)
}

fn write(directory: &Path, printed: &[Printed]) -> Done {
    let cannot =
        |path: &Path, error| Failure::new(format_args!("cannot write `{}`: {error}", path.display()));
    fs::create_dir_all(directory).map_err(|error| cannot(directory, error))?;
    for (path, wanted, existing) in files(directory, printed)? {
        let same = existing.as_ref() == Some(&wanted);
        if !same {
            fs::write(&path, &wanted).map_err(|error| cannot(&path, error))?;
        }
        output::note(format_args!("{} {}", if same { "unchanged" } else { "wrote    " }, path.display()));
    }
    Ok(Outcome::Clean)
}

fn compare(directory: &Path, printed: &[Printed]) -> Done {
    let mut stale = 0;
    for (path, wanted, existing) in files(directory, printed)? {
        if existing.as_ref() == Some(&wanted) {
            continue;
        }
        stale += 1;
        output::print(&generate::diff(&path.display().to_string(), &existing.unwrap_or_default(), &wanted))?;
    }
    if stale == 0 {
        return Ok(Outcome::Clean);
    }
    output::error(format_args!(
        "{stale} of {} files are stale: run the same command without `--check`",
        printed.len()
    ));
    Ok(Outcome::Findings)
}
