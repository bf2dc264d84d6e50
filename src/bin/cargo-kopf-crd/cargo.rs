//! Runs cargo and the programs that it builds, and collects what derived types export.

use crate::generate::GenerateArgs;
use crate::output;
use crate::output::Failure;
use clap::Args;
use kopf_crd::generate;
use kopf_crd::generate::Exported;
use kopf_crd::generate::Origin;
use kopf_crd::yaml;
use serde::Deserialize;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::path::PathBuf;
use std::process::Command;
use std::process::Output;
use std::process::Stdio;

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

/// What the hidden tests are called; the filter of the test programs.
const TESTS: &str = "kopf_crd_export_";

/// Asks the hidden tests and `crdgen!` to export. Mirrored in the library's `types::export`.
const DIRECTORY: &str = "KOPF_CRD_EXPORT_DIR";

/// One line of cargo's `--message-format=json`, as far as it matters.
#[derive(Deserialize)]
struct Message {
    reason: String,
    executable: Option<PathBuf>,
    manifest_path: Option<PathBuf>,
    profile: Option<Profile>,
    target: Option<Target>,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

/// A test program.
struct Program {
    executable: PathBuf,
    /// The directory of its package, where cargo would run it.
    package: PathBuf,
    name: String,
}

/// Everything that the selected packages export.
pub(crate) fn export(args: &GenerateArgs) -> Result<Vec<Exported>, Failure> {
    let scratch = Scratch::new()?;
    if args.bin.is_some() || args.example.is_some() {
        return from_program(args, &scratch);
    }
    let programs = build(args)?;
    let mut found = Vec::new();
    for (index, program) in programs.iter().enumerate() {
        let directory = scratch.directory(index)?;
        run(args, program, &directory)?;
        found.extend(collect(&directory)?);
    }
    let packages = programs.iter().map(|it| &it.package).collect::<std::collections::BTreeSet<_>>().len();
    output::note(format_args!(
        "    Exported {} version{} of CRDs from {packages} package{}",
        found.len(),
        plural(found.len()),
        plural(packages)
    ));
    Ok(found)
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// Builds the test programs of libraries and binaries. Cargo's own progress and errors go to stderr as ever.
fn build(args: &GenerateArgs) -> Result<Vec<Program>, Failure> {
    let mut command = cargo();
    command.args(["test", "--no-run", "--message-format=json-render-diagnostics"]);
    // Hidden tests stand where types stand: examples, integration tests and benches need not be built.
    command.arg("--bins").args(flags(args));
    // Cargo refuses `--lib` where no selected package has one.
    if has_library(args)? {
        command.arg("--lib");
    }
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output().map_err(no_cargo)?;
    if !output.status.success() {
        return Err(Failure::new("cargo could not build the tests; what it said stands above"));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    // What a build script or a runner prints is no message.
    let messages = text.lines().filter_map(|it| serde_json::from_str::<Message>(it).ok());
    Ok(messages.filter_map(program).collect())
}

/// What `cargo metadata` says, as far as it matters.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    #[serde(default)]
    workspace_default_members: Vec<String>,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    manifest_path: PathBuf,
    targets: Vec<PackageTarget>,
}

#[derive(Deserialize)]
struct PackageTarget {
    kind: Vec<String>,
}

/// The kinds of targets that `--lib` names.
const LIBRARIES: [&str; 6] = ["lib", "rlib", "dylib", "cdylib", "staticlib", "proc-macro"];

/// Whether one of the selected packages is a library.
fn has_library(args: &GenerateArgs) -> Result<bool, Failure> {
    let metadata = ask_cargo(args, &["metadata", "--no-deps", "--format-version=1"])?;
    let metadata: Metadata = serde_json::from_str(&metadata)
        .map_err(|error| Failure::new(format_args!("cargo's metadata cannot be read: {error}")))?;
    let here = ask_cargo(args, &["locate-project", "--message-format=plain"])?;
    let here = Path::new(here.trim());
    let in_package = metadata.packages.iter().any(|it| it.manifest_path == here);
    let is_selected = |it: &&Package| match () {
        () if !args.cargo.package.is_empty() => args.cargo.package.iter().any(|spec| names(spec, &it.name)),
        () if args.cargo.workspace => !args.cargo.exclude.contains(&it.name),
        () if in_package => it.manifest_path == here,
        () => metadata.workspace_default_members.contains(&it.id),
    };
    let mut selected = metadata.packages.iter().filter(is_selected).peekable();
    if selected.peek().is_none() {
        return Ok(true);
    }
    Ok(selected.flat_map(|it| &it.targets).flat_map(|it| &it.kind).any(|it| LIBRARIES.contains(&it.as_str())))
}

/// Whether a specification names a package: by its name, with a version, or as the end of a URL.
fn names(spec: &str, name: &str) -> bool {
    spec.split(['@', '#', '/', ':']).any(|it| it == name)
}

fn ask_cargo(args: &GenerateArgs, words: &[&str]) -> Result<String, Failure> {
    let mut command = cargo();
    command.args(words);
    if let Some(path) = &args.cargo.manifest_path {
        command.arg("--manifest-path").arg(path);
    }
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output().map_err(no_cargo)?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(Failure::new("cargo found no package here; what it said stands above")),
    }
}

fn program(message: Message) -> Option<Program> {
    let is_test = message.reason == "compiler-artifact" && message.profile.is_some_and(|it| it.test);
    let package = message.manifest_path?.parent()?.to_path_buf();
    is_test.then_some(Program { executable: message.executable?, package, name: message.target?.name })
}

/// Runs the hidden tests of a program, and only those.
fn run(args: &GenerateArgs, program: &Program, directory: &Path) -> Result<(), Failure> {
    let mut command = runner(args).unwrap_or_else(|| Command::new(&program.executable));
    if command.get_program() != program.executable.as_os_str() {
        command.arg(&program.executable);
    }
    command.arg(TESTS).env(DIRECTORY, directory).current_dir(&program.package);
    // Cargo gives these to the tests that it runs; a test that loads a dynamic library or reads its manifest needs them.
    command.env("CARGO_MANIFEST_DIR", &program.package);
    for name in ["LD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"] {
        command.env(name, library_path(name, &program.executable));
    }
    let output = command.stdin(Stdio::null()).output().map_err(|error| {
        Failure::new(format_args!(
            "the tests of `{}` cannot be run: {error}; a program that is built for another target needs the host's: \
             leave `--target` away",
            program.name
        ))
    })?;
    if output.status.success() {
        return Ok(());
    }
    Err(Failure::new(format_args!(
        "the tests `{TESTS}…` of `{}` failed ({}):\n{}",
        program.name,
        output.status,
        said(&output)
    )))
}

/// What runs programs of another target, as the environment tells cargo: `CARGO_TARGET_<TRIPLE>_RUNNER`.
fn runner(args: &GenerateArgs) -> Option<Command> {
    let triple = args.cargo.target.as_ref()?.to_uppercase().replace(['-', '.'], "_");
    let words = std::env::var(format!("CARGO_TARGET_{triple}_RUNNER")).ok()?;
    let mut words = words.split_whitespace();
    let mut command = Command::new(words.next()?);
    command.args(words);
    Some(command)
}

fn library_path(name: &str, executable: &Path) -> OsString {
    let mut paths: Vec<PathBuf> = executable.parent().map(Path::to_path_buf).into_iter().collect();
    paths.extend(std::env::var_os(name).iter().flat_map(std::env::split_paths));
    std::env::join_paths(paths).unwrap_or_default()
}

fn said(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&text).trim_end().to_owned()
}

/// Runs a user's program, which exports if it is made by `crdgen!`, and prints CRDs if it is not.
fn from_program(args: &GenerateArgs, scratch: &Scratch) -> Result<Vec<Exported>, Failure> {
    let directory = scratch.directory(0)?;
    let mut command = cargo();
    command.arg("run").args(flags(args));
    let mut name = String::new();
    for (flag, value) in [("--bin", &args.bin), ("--example", &args.example)] {
        if let Some(value) = value {
            command.args([flag, value]);
            name.clone_from(value);
        }
    }
    command.env(DIRECTORY, &directory).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = command.output().map_err(no_cargo)?;
    if !output.status.success() {
        return Err(Failure::new(format_args!(
            "`{name}` failed ({}); what it said stands above",
            output.status
        )));
    }
    let exported = collect(&directory)?;
    if !exported.is_empty() {
        return Ok(exported);
    }
    printed(&name, &String::from_utf8_lossy(&output.stdout))
}

/// The CRDs that a program printed by itself, as YAML or JSON.
fn printed(name: &str, text: &str) -> Result<Vec<Exported>, Failure> {
    let stream = yaml::parse(text);
    if let Some(error) = stream.errors.first() {
        return Err(Failure::new(format_args!(
            "what `{name}` printed is neither YAML nor JSON: {}",
            error.message
        )));
    }
    let origin =
        Origin { ty: String::new(), module: String::new(), file: format!("what `{name}` printed"), line: 0 };
    let crds = stream.documents.iter().filter(|it| kopf_crd::crd::is_crd(&it.root).is_some());
    let exported = crds.map(|it| Exported {
        crd: it.root.to_json(),
        contract: None,
        origin: origin.clone(),
        problems: Vec::new(),
    });
    Ok(exported.collect())
}

/// What was exported into a directory.
fn collect(directory: &Path) -> Result<Vec<Exported>, Failure> {
    let unreadable = |error: io::Error| {
        Failure::new(format_args!("cannot read what was exported to `{}`: {error}", directory.display()))
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(unreadable)? {
        files.push(entry.map_err(unreadable)?.path());
    }
    files.sort();
    let read =
        |it: &PathBuf| generate::read(&fs::read_to_string(it).map_err(unreadable)?).map_err(Failure::new);
    files.iter().map(read).collect()
}

fn cargo() -> Command {
    // Cargo names itself to the commands that it runs.
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn no_cargo(error: io::Error) -> Failure {
    Failure::new(format_args!("cargo cannot be run: {error}"))
}

/// Cargo's flags, passed on.
fn flags(args: &GenerateArgs) -> Vec<OsString> {
    let cargo = &args.cargo;
    let mut found: Vec<OsString> = Vec::new();
    let switches = [
        ("--workspace", cargo.workspace),
        ("--all-features", cargo.all_features),
        ("--no-default-features", cargo.no_default_features),
        ("--release", cargo.release),
        ("--locked", cargo.locked),
        ("--offline", cargo.offline),
        ("--frozen", cargo.frozen),
        ("--quiet", cargo.quiet),
    ];
    found.extend(switches.iter().filter(|it| it.1).map(|it| it.0.into()));
    let lists =
        [("--package", &cargo.package), ("--exclude", &cargo.exclude), ("--features", &cargo.features)];
    for (flag, values) in lists {
        values.iter().for_each(|it| found.extend([flag.into(), it.into()]));
    }
    let values = [
        ("--profile", cargo.profile.as_ref().map(OsString::from)),
        ("--target", cargo.target.as_ref().map(OsString::from)),
        ("--manifest-path", cargo.manifest_path.as_ref().map(OsString::from)),
        ("--target-dir", cargo.target_dir.as_ref().map(OsString::from)),
    ];
    for (flag, value) in values {
        found.extend(value.into_iter().flat_map(|it| [OsString::from(flag), it]));
    }
    found
}

/// A directory for exports, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self, Failure> {
        let path = std::env::temp_dir().join(format!("kopf-crd-{}", std::process::id()));
        fs::create_dir_all(&path).map_err(|error| cannot_make(&path, &error))?;
        Ok(Self(path))
    }

    fn directory(&self, index: usize) -> Result<PathBuf, Failure> {
        let path = self.0.join(index.to_string());
        fs::create_dir_all(&path).map_err(|error| cannot_make(&path, &error))?;
        Ok(path)
    }
}

fn cannot_make(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format_args!("cannot make the directory `{}`: {error}", path.display()))
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Left behind, it is in the system's own place for that.
        let _ = fs::remove_dir_all(&self.0);
    }
}
