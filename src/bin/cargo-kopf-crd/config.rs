//! What flags and files say together: flags win over the file, the file over defaults.
//!
//! The file is `kopf-crd.toml`, `[tool.kopf-crd]` of pyproject.toml or `[package.metadata.kopf-crd]` of Cargo.toml,
//! in the working directory or above it; the first one found is the only one read.

use crate::output::Failure;
use crate::shared::ContractArgs;
use crate::shared::InputArgs;
use crate::shared::LevelArgs;
use crate::shared::ScopeArgs;
use kopf_crd::check::Contracts;
use kopf_crd::check::Kubernetes;
use kopf_crd::check::Level;
use kopf_crd::check::Levels;
use kopf_crd::check::Options;
use kopf_crd::check::Scope;
use kopf_crd::check::Summary;
use kopf_crd::kopf::ContractConfig;
use kopf_crd::source::Source;
use serde::Deserialize;
use std::fs;
use std::path::Path;
use std::path::PathBuf;
use toml::Spanned;
use toml::de::DeTable;
use toml::de::DeValue;
use toml::de::ValueDeserializer;

/// The files that may hold a configuration, each with the table that is ours.
const FILES: [(&str, &[&[&str]]); 3] = [
    ("kopf-crd.toml", &[&[]]),
    ("pyproject.toml", &[&["tool", "kopf-crd"]]),
    ("Cargo.toml", &[&["package", "metadata", "kopf-crd"], &["workspace", "metadata", "kopf-crd"]]),
];

/// Keys that state the contract; each may also stand below `crd."NAME"`.
const CONTRACT_KEYS: [&str; 12] = [
    "kopf",
    "storage",
    "name",
    "progress-field",
    "touch-field",
    "diffbase",
    "diffbase-field",
    "prefix",
    "result",
    "results",
    "writes",
    "api-version",
];

/// The other keys.
const RUN_KEYS: [&str; 8] =
    ["crd", "scope", "kubernetes", "allow", "warn", "deny", "min-crds", "allow-empty"];

/// What a file says.
#[derive(Debug, Default)]
pub(crate) struct File {
    contract: ContractConfig,
    run: Run,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct Run {
    scope: ScopeKeys,
    kubernetes: Option<String>,
    allow: Vec<String>,
    warn: Vec<String>,
    deny: Vec<String>,
    min_crds: Option<usize>,
    allow_empty: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ScopeKeys {
    only: Vec<String>,
    skip: Vec<String>,
}

/// Everything that is said, ready for use.
#[derive(Debug)]
pub(crate) struct Config {
    /// For the library.
    pub(crate) options: Options,
    /// Whether flags or a file say anything of the operator.
    pub(crate) stated: bool,
    /// How many CRDs must be seen; none for at least one.
    pub(crate) min_crds: Option<usize>,
    /// Whether no CRD at all is fine.
    pub(crate) allow_empty: bool,
}

impl Config {
    /// Why nothing was done to any CRD, unless that is fine: nothing seen is nothing proven.
    pub(crate) fn idle(&self, summary: &Summary, done: &str) -> Option<String> {
        let seen = summary.crds + summary.skipped.out_of_scope;
        if seen == 0 && !self.allow_empty {
            let hint = "`--allow-empty` accepts that; what .gitignore names is read only if named";
            return Some(format!("no CRD was seen: nothing was {done} ({hint})"));
        }
        let outside = summary.crds == 0 && seen > 0 && !self.options.scope.only.is_empty();
        let scope = "`--only`, or `scope.only` of the configuration";
        outside.then(|| format!("none of the {seen} CRDs seen is in scope ({scope}): nothing was {done}"))
    }
}

/// Reads the configuration and lays the flags over it.
pub(crate) fn load(
    contract: &ContractArgs,
    levels: &LevelArgs,
    inputs: &InputArgs,
) -> Result<Config, Failure> {
    let file = match &contract.config {
        Some(path) => read_named(path)?,
        None => discover()?,
    };
    let said = contract.to_config().over(file.contract);
    let stated = !said.is_silent();
    let contracts = Contracts::new(&said).map_err(Failure::new)?;
    let kubernetes = match contract.kubernetes.as_ref().or(file.run.kubernetes.as_ref()) {
        Some(text) => kubernetes(text)?,
        None => Kubernetes::default(),
    };
    // Naming CRDs on the command line replaces what the file names; leaving some out adds to it.
    let ScopeArgs { only, skip } = inputs.scope.clone();
    let only = if only.is_empty() { file.run.scope.only } else { only };
    let skip = [file.run.scope.skip, skip].concat();
    let mut stated_levels = Levels::default();
    let run =
        [(&file.run.allow, &file.run.warn, &file.run.deny), (&levels.allow, &levels.warn, &levels.deny)];
    for (allow, warn, deny) in run {
        for (names, level) in [(allow, Level::Allow), (warn, Level::Warn), (deny, Level::Deny)] {
            for name in names {
                stated_levels.state(name, level).map_err(Failure::new)?;
            }
        }
    }
    let options = Options {
        contracts,
        scope: Scope { only, skip },
        levels: stated_levels,
        kubernetes,
        ..Options::default()
    };
    Ok(Config {
        options,
        stated,
        min_crds: inputs.min_crds.or(file.run.min_crds),
        allow_empty: inputs.allow_empty || file.run.allow_empty,
    })
}

/// A version of Kubernetes: `1.31`, `v1.22.4`, or its minor number alone.
fn kubernetes(text: &str) -> Result<Kubernetes, Failure> {
    let wrong = || {
        Failure::new(format_args!("`{text}` is not a version of Kubernetes: expected numbers such as `1.31`"))
    };
    let numbers = text.strip_prefix('v').unwrap_or(text);
    let minor = match numbers.split('.').collect::<Vec<_>>()[..] {
        ["1", minor] | ["1", minor, _] => minor,
        _ => return Err(wrong()),
    };
    minor.parse().map(Kubernetes).map_err(|_| wrong())
}

/// The configuration in the working directory or above it.
fn discover() -> Result<File, Failure> {
    let Ok(here) = std::env::current_dir() else { return Ok(File::default()) };
    for dir in here.ancestors() {
        for (name, tables) in FILES {
            let path = dir.join(name);
            let Ok(text) = fs::read_to_string(&path) else { continue };
            // Somebody else's file: what is wrong with it elsewhere is not ours to say.
            if name != "kopf-crd.toml" && !text.contains("kopf-crd") {
                continue;
            }
            if let Some(file) = parse(&path, text, tables)? {
                return Ok(file);
            }
        }
    }
    Ok(File::default())
}

fn read_named(path: &Path) -> Result<File, Failure> {
    let text = fs::read_to_string(path).map_err(|error| {
        Failure::new(format_args!("cannot read the configuration `{}`: {error}", path.display()))
    })?;
    let name = path.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    let tables = FILES.iter().find(|it| it.0 == name).map_or(FILES[0].1, |it| it.1);
    let found = parse(path, text, tables)?;
    found.ok_or_else(|| {
        Failure::new(format_args!("`{}` has no table `[{}]`", path.display(), tables[0].join(".")))
    })
}

/// The file, if it has one of the tables.
fn parse(path: &Path, text: String, tables: &[&[&str]]) -> Result<Option<File>, Failure> {
    let source = Source::new(shown(path), text);
    let document = DeTable::parse(&source.text).map_err(|error| failure(&source, &error))?;
    for keys in tables {
        let mut table = Some(document.get_ref());
        for key in *keys {
            table = table.and_then(|it| it.get(*key)).and_then(|it| it.get_ref().as_table());
        }
        if let Some(table) = table {
            return Ok(Some(read(&source, table.clone())?));
        }
    }
    Ok(None)
}

fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::new());
    path.strip_prefix(here).unwrap_or(path).display().to_string()
}

fn read(source: &Source, table: DeTable<'_>) -> Result<File, Failure> {
    let (mut contract, mut run) = (DeTable::new(), DeTable::new());
    for (key, value) in table {
        let name = key.get_ref().to_string();
        if name == "crd" {
            own_keys(source, &value)?;
        }
        match name.as_str() {
            "crd" => _ = contract.insert(key, value),
            name if CONTRACT_KEYS.contains(&name) => _ = contract.insert(key, value),
            name if RUN_KEYS.contains(&name) => _ = run.insert(key, value),
            _ => {
                let known: Vec<&str> = CONTRACT_KEYS.iter().chain(&RUN_KEYS).copied().collect();
                return Err(unknown(source, key.span().start, &name, &known));
            }
        }
    }
    let contract = value(contract);
    let contract = ContractConfig::deserialize(contract).map_err(|error| failure(source, &error))?;
    let run = Run::deserialize(value(run)).map_err(|error| failure(source, &error))?;
    Ok(File { contract, run })
}

/// What is said of single CRDs may only be what the operator writes into them.
fn own_keys(source: &Source, crds: &Spanned<DeValue<'_>>) -> Result<(), Failure> {
    let Some(crds) = crds.get_ref().as_table() else { return Ok(()) };
    let tables = crds.values().filter_map(|it| it.get_ref().as_table());
    for (key, _) in tables.flatten() {
        if !CONTRACT_KEYS.contains(&&**key.get_ref()) {
            return Err(unknown(source, key.span().start, key.get_ref(), &CONTRACT_KEYS));
        }
    }
    Ok(())
}

fn value(table: DeTable<'_>) -> ValueDeserializer<'_> {
    ValueDeserializer::from(Spanned::new(0..0, DeValue::Table(table)))
}

fn unknown(source: &Source, at: usize, name: &str, known: &[&str]) -> Failure {
    let close =
        known.iter().map(|it| (strsim::jaro_winkler(name, it), it)).max_by(|a, b| a.0.total_cmp(&b.0));
    let close = match close {
        Some((near, it)) if near > 0.8 => format!(": did you mean `{it}`?"),
        _ => {
            format!(": known are {}", known.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", "))
        }
    };
    located(source, at, &format!("unknown key `{name}`{close}"))
}

fn failure(source: &Source, error: &toml::de::Error) -> Failure {
    let message = error.message().trim_end().replace('\n', ", ");
    match error.span() {
        Some(span) if span != (0..0) => located(source, span.start, &message),
        _ => Failure::new(format_args!("{}: {message}", source.name)),
    }
}

fn located(source: &Source, at: usize, message: &str) -> Failure {
    let at = source.position(at as u32);
    Failure::new(format_args!("{}:{}:{}: {message}", source.name, at.line, at.column))
}
