//! Arguments that several commands share: which files, which operator, which findings.

use clap::Args;
use clap::ValueEnum;
use kopf_crd::diagnostic::Safety;
use kopf_crd::kopf;
use kopf_crd::kopf::ContractConfig;
use kopf_crd::kopf::Field;
use kopf_crd::kopf::KopfVersion;
use kopf_crd::rules::mend::Width;
use std::path::PathBuf;

/// Which manifests to read.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct InputArgs {
    /// Files, directories, globs, or `-` for stdin.
    ///
    /// Directories are walked for *.yaml, *.yml and *.json; what .gitignore names is left out.
    #[arg(value_name = "PATH", default_value = ".", help_heading = "Arguments")]
    pub(crate) paths: Vec<PathBuf>,
    /// The name under which stdin is reported.
    #[arg(long, value_name = "NAME", default_value = "<stdin>")]
    pub(crate) stdin_filename: String,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    /// Fails if fewer CRDs are seen: for pipelines whose producer may fail.
    #[arg(long, value_name = "N")]
    pub(crate) min_crds: Option<usize>,
    /// Accepts that no CRD is seen at all.
    #[arg(long)]
    pub(crate) allow_empty: bool,
}

/// Which CRDs are of interest.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct ScopeArgs {
    /// Judges only these CRDs: names, groups, kinds or paths; `*` stands for anything. Repeatable.
    #[arg(long, value_name = "WHAT")]
    pub(crate) only: Vec<String>,
    /// Leaves these CRDs alone: names, groups, kinds or paths; `*` stands for anything. Repeatable.
    #[arg(long, value_name = "WHAT")]
    pub(crate) skip: Vec<String>,
}

/// What the operator writes. Each flag is also a key of the configuration.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Contract (what the operator writes)")]
pub(crate) struct ContractArgs {
    /// The version of Kopf; default: the newest known.
    #[arg(long, value_name = "VERSION")]
    pub(crate) kopf: Option<KopfVersion>,
    /// Where progress is kept; default: `status`, the guarantee that this tool is for.
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) storage: Option<StorageKind>,
    /// The `name=` of the status storages; default: `kopf`.
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// The `field=` of the progress storage; default: `status.{name}.progress`.
    #[arg(long, value_name = "PATH")]
    pub(crate) progress_field: Option<String>,
    /// The `touch_field=` of the progress storage; default: `status.{name}.dummy`.
    #[arg(long, value_name = "PATH")]
    pub(crate) touch_field: Option<String>,
    /// Where the last-handled configuration is kept; default: beside the progress.
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) diffbase: Option<DiffbaseKind>,
    /// The `field=` of the diff-base storage; default: `status.{name}.last-handled-configuration`.
    #[arg(long, value_name = "PATH")]
    pub(crate) diffbase_field: Option<String>,
    /// The `prefix=` of the annotations; default: `kopf.zalando.org`.
    #[arg(long, value_name = "PREFIX")]
    pub(crate) prefix: Option<String>,
    /// A handler that returns something: its id, and a type or a sample in JSON. Repeatable.
    #[arg(long, value_name = "ID[=TYPE|JSON]")]
    pub(crate) result: Vec<String>,
    /// What the handlers that are not named return; default: `unknown`, or `none` beside --result.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) results: Option<Results>,
    /// A field that handlers patch: its path, and a type or a sample in JSON. Repeatable.
    #[arg(long, value_name = "PATH[=TYPE|JSON]")]
    pub(crate) writes: Vec<String>,
    /// The version of the API that the handlers name; default: the preferred one, as Kopf picks it.
    #[arg(long, value_name = "VERSION")]
    pub(crate) api_version: Option<String>,
    /// The version of Kubernetes that will serve the CRDs, such as 1.21; default: a current one.
    #[arg(long, value_name = "VERSION")]
    pub(crate) kubernetes: Option<String>,
    /// The configuration; default: kopf-crd.toml, pyproject.toml or Cargo.toml, here or above.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

impl ContractArgs {
    /// What the flags say, as a configuration says it.
    pub(crate) fn to_config(&self) -> ContractConfig {
        let list = |it: &Vec<String>| (!it.is_empty()).then(|| it.clone());
        ContractConfig {
            kopf: self.kopf,
            storage: self.storage.map(StorageKind::of),
            name: self.name.clone(),
            progress_field: self.progress_field.as_ref().map(Field::dotted),
            touch_field: self.touch_field.as_ref().map(Field::dotted),
            diffbase: self.diffbase.map(DiffbaseKind::of),
            diffbase_field: self.diffbase_field.as_ref().map(Field::dotted),
            prefix: self.prefix.clone(),
            result: list(&self.result),
            results: self.results.map(Results::of),
            writes: list(&self.writes),
            api_version: self.api_version.clone(),
            ..ContractConfig::default()
        }
    }
}

/// Which findings count how much.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Levels")]
pub(crate) struct LevelArgs {
    /// Keeps quiet about a rule, or about all `warnings` or `notes`. Repeatable.
    #[arg(long, value_name = "RULE")]
    pub(crate) allow: Vec<String>,
    /// Makes the findings of a rule warnings. Repeatable.
    #[arg(long, value_name = "RULE")]
    pub(crate) warn: Vec<String>,
    /// Makes the findings of a rule, or all `warnings`, errors. Repeatable.
    #[arg(long, value_name = "RULE")]
    pub(crate) deny: Vec<String>,
}

/// Where progress is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StorageKind {
    /// StatusProgressStorage.
    Status,
    /// SmartProgressStorage, Kopf's default: annotations, and the status before Kopf 1.44.
    Smart,
    /// AnnotationsProgressStorage.
    Annotations,
    /// MultiProgressStorage of annotations and the status, both written.
    Multi,
}

impl StorageKind {
    fn of(self) -> kopf::StorageKind {
        match self {
            StorageKind::Status => kopf::StorageKind::Status,
            StorageKind::Smart => kopf::StorageKind::Smart,
            StorageKind::Annotations => kopf::StorageKind::Annotations,
            StorageKind::Multi => kopf::StorageKind::Multi,
        }
    }
}

/// Where the last-handled configuration is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffbaseKind {
    /// StatusDiffBaseStorage.
    Status,
    /// AnnotationsDiffBaseStorage, Kopf's default.
    Annotations,
}

impl DiffbaseKind {
    fn of(self) -> kopf::DiffbaseKind {
        match self {
            DiffbaseKind::Status => kopf::DiffbaseKind::Status,
            DiffbaseKind::Annotations => kopf::DiffbaseKind::Annotations,
        }
    }
}

/// What handlers without a `--result` return.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Results {
    /// Nothing.
    None,
    /// Anything, under ids that are not known.
    Unknown,
}

impl Results {
    fn of(self) -> kopf::OtherResults {
        match self {
            Results::None => kopf::OtherResults::None,
            Results::Unknown => kopf::OtherResults::Unknown,
        }
    }
}

/// How far a CRD is changed.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Fixes")]
pub(crate) struct MendArgs {
    /// Also removes or loosens what somebody wrote: `required`, `enum`, types.
    #[arg(long = "unsafe")]
    pub(crate) unsafe_: bool,
    /// How wide a status is opened.
    #[arg(long, value_enum, value_name = "STYLE", default_value_t = Style::Narrow)]
    pub(crate) style: Style,
}

impl MendArgs {
    /// The safety up to which fixes are applied.
    pub(crate) fn safety(&self) -> Safety {
        if self.unsafe_ { Safety::Unsafe } else { Safety::Safe }
    }
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
