//! The commands and their arguments, with the help people read.

use crate::shared::ContractArgs;
use crate::shared::InputArgs;
use crate::shared::LevelArgs;
use clap::Args;
use clap::CommandFactory;
use clap::FromArgMatches;
use clap::Parser;
use clap::Subcommand;
use clap::ValueEnum;
use clap::builder::PossibleValuesParser;
use kopf_crd::render;
use kopf_crd::rules::mend::Width;
use std::ffi::OsString;
use std::path::PathBuf;

/// Keeps what a Kopf operator writes into `status` alive.
///
/// The API server drops every field that a CRD does not declare, and answers 200. Kopf keeps progress, the
/// last-handled configuration and handler results there. This tool judges CRDs exactly as the API server would
/// treat what Kopf writes, and shows what to change.
#[derive(Debug, Parser)]
#[command(name = "cargo-kopf-crd", bin_name = "cargo kopf-crd", version, after_help = EXAMPLES)]
pub(crate) struct Cli {
    /// Colors the output.
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = Color::Auto, help_heading = "General")]
    pub(crate) color: Color,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  cargo kopf-crd check                      every CRD below this directory
  helm template . | cargo kopf-crd check -  what a chart renders
  cargo kopf-crd explain pruned-status      why a finding matters, and what to do

Exit codes: 0 clean, 1 findings, 2 the work could not be done.";

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(CheckArgs),
    Fix(FixArgs),
    Patch(PatchArgs),
    Diff(DiffArgs),
    Contract(ContractCommand),
    Generate(GenerateArgs),
    Init(InitArgs),
    Explain(ExplainArgs),
    Simulate(SimulateArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Judges CRDs: does the API server keep what Kopf writes?
///
/// Reads manifests, finds the CRDs in them (also in lists), and runs what the operator writes through a model of the
/// API server. A finding shows the line to blame, the patch that is sent, what is stored, and the lines to add.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cargo kopf-crd check crds/
  helm template chart | cargo kopf-crd check -
  cargo kopf-crd check --result create_fn=object --writes status.phase=string crds/
  cargo kopf-crd check --only '*.example.com' --output json=report.json .

Exit codes: 0 clean (warnings allowed), 1 errors, 2 nothing to judge or something unreadable.")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// How to show findings; default: text, or github in its workflows.
    #[arg(long, value_name = "FORMAT", value_parser = formats(), help_heading = "Output")]
    pub(crate) format: Option<String>,
    /// Writes a report to a file as well. Repeatable.
    #[arg(long, value_name = "FORMAT=FILE", help_heading = "Output")]
    pub(crate) output: Vec<String>,
    #[command(flatten)]
    pub(crate) contract: ContractArgs,
    #[command(flatten)]
    pub(crate) levels: LevelArgs,
}

/// Mends CRDs so that the API server keeps what Kopf writes.
///
/// Adds what is missing and leaves every other byte as it is; judges the result again before it is written. By default
/// only `status.kopf` and the known results are opened. What is left is said as in `check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cargo kopf-crd fix crds/
  cargo kopf-crd fix --diff crds/
  cargo kopf-crd fix --result create_fn=object --style open crd.yaml
  cat crd.yaml | cargo kopf-crd fix - > mended.yaml

Exit codes: 0 nothing is left (warnings allowed), 1 errors are left, 2 something could not be read or written.")]
pub(crate) struct FixArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Prints what would change as a unified diff, and writes nothing.
    #[arg(long, help_heading = "Fixes")]
    pub(crate) diff: bool,
    /// Also removes or loosens what somebody wrote: `required`, `enum`, types.
    #[arg(long = "unsafe", help_heading = "Fixes")]
    pub(crate) unsafe_: bool,
    /// How wide a status is opened.
    #[arg(long, value_enum, value_name = "STYLE", default_value_t = Style::Narrow, help_heading = "Fixes")]
    pub(crate) style: Style,
    #[command(flatten)]
    pub(crate) contract: ContractArgs,
    #[command(flatten)]
    pub(crate) levels: LevelArgs,
}

/// Makes patches for CRDs that one does not own.
///
/// Prints JSON 6902 operations that open what Kopf writes; each patch tests first what it rests on, so that it fails
/// loudly when the CRD has changed shape.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cargo kopf-crd patch upstream/crds.yaml >> kustomization.yaml
  kubectl get crd widgets.example.com -o yaml | cargo kopf-crd patch --format kubectl -

Exit codes: 0 patches were printed or none is needed, 1 something is lost that no patch mends, 2 nothing to read.")]
pub(crate) struct PatchArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// What to print.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = PatchFormat::Kustomize, help_heading = "Output")]
    pub(crate) format: PatchFormat,
    /// Also removes or loosens what somebody wrote: `required`, `enum`, types.
    #[arg(long = "unsafe", help_heading = "Fixes")]
    pub(crate) unsafe_: bool,
    /// How wide a status is opened.
    #[arg(long, value_enum, value_name = "STYLE", default_value_t = Style::Narrow, help_heading = "Fixes")]
    pub(crate) style: Style,
    #[command(flatten)]
    pub(crate) contract: ContractArgs,
    #[command(flatten)]
    pub(crate) levels: LevelArgs,
}

/// How a patch is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PatchFormat {
    /// The `patches:` of a kustomization.yaml.
    Kustomize,
    /// A command line for a shell.
    Kubectl,
    /// The operations of one CRD as JSON.
    Json,
}

/// Shows what changes for an operator between two states of its CRDs.
///
/// A state is a file, a directory, or a git revision with a path (`HEAD~1:crds`). Made for pull requests: exits with 1
/// when something gets worse.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cargo kopf-crd diff old/crd.yaml new/crd.yaml
  cargo kopf-crd diff HEAD:crds crds
  cargo kopf-crd diff --git origin/main..HEAD
  cargo kopf-crd diff --duplicates .

Exit codes: 0 nothing gets worse, 1 something does, 2 a state cannot be read.")]
pub(crate) struct DiffArgs {
    /// The old state and the new one; with --git the paths to look at, with --duplicates one state.
    #[arg(value_name = "STATE")]
    pub(crate) states: Vec<String>,
    /// Two git revisions.
    #[arg(long, value_name = "A..B", conflicts_with = "duplicates")]
    pub(crate) git: Option<String>,
    /// Finds CRDs that stand in several files and are not the same.
    #[arg(long)]
    pub(crate) duplicates: bool,
    /// How to show the changes; default: text, or github in its workflows.
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Output")]
    pub(crate) format: Option<DiffFormat>,
    #[command(flatten)]
    pub(crate) contract: ContractArgs,
    #[command(flatten)]
    pub(crate) levels: LevelArgs,
}

/// How changes are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFormat {
    /// For people.
    Text,
    /// One JSON object, `kopf-crd/diff/v1`.
    Json,
    /// Annotations of GitHub Actions.
    Github,
}

/// How wide a status is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Style {
    /// Only what the operator writes: `status.kopf` and the known results.
    Narrow,
    /// The whole status.
    Open,
}

impl Style {
    /// The same for the library.
    pub(crate) fn width(self) -> Width {
        match self {
            Style::Narrow => Width::Narrow,
            Style::Open => Width::Open,
        }
    }
}

/// Prints what the operator writes, as flags and configuration say: the slots, their paths, what is sent.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cargo kopf-crd contract
  cargo kopf-crd contract --storage smart --kopf 1.43
  cargo kopf-crd contract --crd widgets.example.com --json")]
pub(crate) struct ContractCommand {
    /// What holds for this CRD, if the configuration says something of it.
    #[arg(long, value_name = "NAME")]
    pub(crate) crd: Option<String>,
    /// Prints JSON, with all samples.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) contract: ContractArgs,
}

/// Writes the first files: a CRD that keeps its status, settings for the operator, a configuration.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cargo kopf-crd init --kind Widget --group example.com
  cargo kopf-crd init --kind Widget --group example.com --style open deploy/
  cargo kopf-crd init --stdout | kubectl apply -f -
  cargo kopf-crd init --rust --kind Widget --group example.com widgets")]
pub(crate) struct InitArgs {
    /// Where to write the files.
    #[arg(value_name = "DIR", default_value = ".")]
    pub(crate) dir: PathBuf,
    /// The kind of the objects.
    #[arg(long, value_name = "KIND", default_value = "Widget", value_parser = kind)]
    pub(crate) kind: String,
    /// Their plural; default: made from the kind.
    #[arg(long, value_name = "NAME", value_parser = label)]
    pub(crate) plural: Option<String>,
    /// Their API group.
    #[arg(long, value_name = "GROUP", default_value = "example.com", value_parser = group)]
    pub(crate) group: String,
    /// Their first version.
    #[arg(long, value_name = "VERSION", default_value = "v1", value_parser = label)]
    pub(crate) api_version: String,
    /// How the status is opened for Kopf.
    #[arg(long, value_enum, default_value_t = InitStyle::Narrow)]
    pub(crate) style: InitStyle,
    /// Writes a Rust crate with the kind as a type instead: `generate` makes its CRD.
    #[arg(long, conflicts_with_all = ["style", "stdout"])]
    pub(crate) rust: bool,
    /// Prints the CRD and writes nothing.
    #[arg(long)]
    pub(crate) stdout: bool,
    /// Overwrites files that are there.
    #[arg(long)]
    pub(crate) force: bool,
}

/// How a status is opened for Kopf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum InitStyle {
    /// Only `kopf`, beside typed properties.
    Narrow,
    /// The whole status.
    Open,
}

/// Prints the page of a rule: what it finds, why state is lost, what to write instead.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cargo kopf-crd explain pruned-status
  cargo kopf-crd explain --list")]
pub(crate) struct ExplainArgs {
    /// The rule, as in `error[pruned-status]`.
    #[arg(value_name = "RULE", required_unless_present = "list")]
    pub(crate) rule: Option<String>,
    /// Lists all rules with their severities.
    #[arg(long, conflicts_with = "rule")]
    pub(crate) list: bool,
}

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

/// Cargo's own flags, passed on to it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Cargo")]
pub(crate) struct CargoArgs {
    /// A package to look in. Repeatable.
    #[arg(short, long, value_name = "SPEC")]
    pub(crate) package: Vec<String>,
    /// Looks in all packages of the workspace.
    #[arg(long, visible_alias = "all")]
    pub(crate) workspace: bool,
    /// Leaves a package of the workspace out. Repeatable.
    #[arg(long, value_name = "SPEC", requires = "workspace")]
    pub(crate) exclude: Vec<String>,
    /// Features to switch on. Repeatable.
    #[arg(short = 'F', long, value_name = "FEATURES")]
    pub(crate) features: Vec<String>,
    /// Switches all features on.
    #[arg(long)]
    pub(crate) all_features: bool,
    /// Switches the default features off.
    #[arg(long)]
    pub(crate) no_default_features: bool,
    /// Builds with the release profile.
    #[arg(short, long)]
    pub(crate) release: bool,
    /// Builds with this profile.
    #[arg(long, value_name = "NAME", conflicts_with = "release")]
    pub(crate) profile: Option<String>,
    /// Builds for this target; its programs must run here.
    #[arg(long, value_name = "TRIPLE")]
    pub(crate) target: Option<String>,
    /// Where cargo builds; default: where it always does.
    #[arg(long, value_name = "DIR")]
    pub(crate) target_dir: Option<PathBuf>,
    /// The Cargo.toml of the package or workspace.
    #[arg(long, value_name = "PATH")]
    pub(crate) manifest_path: Option<PathBuf>,
    /// Requires Cargo.lock to be up to date.
    #[arg(long)]
    pub(crate) locked: bool,
    /// Uses no network.
    #[arg(long)]
    pub(crate) offline: bool,
    /// Like --locked and --offline together.
    #[arg(long)]
    pub(crate) frozen: bool,
    /// Keeps cargo quiet.
    #[arg(short, long)]
    pub(crate) quiet: bool,
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

/// Prints a completion script for a shell.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cargo kopf-crd completions bash > ~/.local/share/bash-completion/completions/cargo-kopf-crd
  cargo kopf-crd completions zsh  > ~/.zfunc/_cargo-kopf-crd

The script completes the word `cargo-kopf-crd`.")]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

/// Prints the manual page, in roff.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cargo kopf-crd man | man -l -
  cargo kopf-crd man --out target/man")]
pub(crate) struct ManArgs {
    /// Writes a page per command into this directory instead.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// A name that the API server takes for a plural or a version: a DNS label.
fn label(text: &str) -> Result<String, String> {
    let inner = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-';
    let good = text.starts_with(|it: char| it.is_ascii_lowercase())
        && text.chars().all(inner)
        && !text.ends_with('-')
        && text.len() <= 63;
    if good { Ok(text.to_owned()) } else { Err("expected lower-case letters, digits and dashes".to_owned()) }
}

fn kind(text: &str) -> Result<String, String> {
    label(&text.to_lowercase()).map(|_| text.to_owned()).map_err(|_| "expected letters and digits".to_owned())
}

fn group(text: &str) -> Result<String, String> {
    let good =
        text.contains('.') && text.split('.').all(|it| !it.is_empty() && label(&format!("a{it}")).is_ok());
    if good {
        Ok(text.to_owned())
    } else {
        Err("expected a domain with a dot, such as `example.com`".to_owned())
    }
}

fn formats() -> PossibleValuesParser {
    PossibleValuesParser::new(render::FORMATS.iter().map(|it| it.0))
}

/// When to color.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR or CLICOLOR=0 say otherwise.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Color {
    /// Makes this the choice for everything that is printed.
    pub(crate) fn write_global(self) {
        match self {
            Color::Auto => {}
            Color::Always => anstream::ColorChoice::Always.write_global(),
            Color::Never => anstream::ColorChoice::Never.write_global(),
        }
    }
}

/// Reads the arguments. Cargo passes the name of a subcommand on; by hand it may be there or not.
pub(crate) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let mut words: Vec<OsString> = words.into_iter().collect();
    if words.get(1).is_some_and(|it| it == "kopf-crd") {
        words.remove(1);
    }
    let mut command = Cli::command();
    let matches = command.try_get_matches_from_mut(words)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}
