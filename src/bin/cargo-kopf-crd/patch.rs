//! `patch`: patches for CRDs that one does not own.

use crate::config;
use crate::inputs;
use crate::inputs::Content;
use crate::output;
use crate::output::Done;
use crate::output::Failure;
use crate::output::Outcome;
use crate::shared::ContractArgs;
use crate::shared::InputArgs;
use crate::shared::LevelArgs;
use crate::shared::MendArgs;
use clap::Args;
use clap::ValueEnum;
use kopf_crd::check::Options;
use kopf_crd::diagnostic::Safety;
use kopf_crd::diagnostic::Severity;
use kopf_crd::patch;
use kopf_crd::patch::Patch;

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
    #[command(flatten)]
    pub(crate) mend: MendArgs,
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

pub(crate) fn run(args: &PatchArgs) -> Done {
    let config = config::load(&args.contract, &args.levels, &args.input)?;
    let options = Options { width: args.mend.style.width(), ..config.options.clone() };
    let safety = args.mend.safety();
    let inputs = inputs::find(&args.input)?;
    let mut problems: Vec<String> = inputs.problems.iter().map(|it| it.message.clone()).collect();
    let mut patches = Vec::new();
    for input in &inputs.found {
        match inputs::read(input) {
            Ok(Content::Text(source)) => patches.extend(patch::patches(&source, &options, safety)),
            Ok(Content::NotText(source, _, why)) => {
                problems.push(format!("cannot read `{}`: {why}", source.name))
            }
            Err(problem) => problems.push(problem.message),
        }
    }
    problems.iter().for_each(output::error);
    if patches.is_empty() {
        return Err(Failure::new("no CRD in scope was seen: there is nothing to patch"));
    }
    let needed: Vec<&Patch> = patches.iter().filter(|it| !it.operations.is_empty()).collect();
    print(args.format, &needed)?;
    let mut errors = 0;
    for patch in &patches {
        errors += tell(patch, safety);
    }
    Ok(match () {
        () if !problems.is_empty() => Outcome::Incomplete,
        () if errors > 0 => Outcome::Findings,
        () => Outcome::Clean,
    })
}

fn print(format: PatchFormat, needed: &[&Patch]) -> Result<(), Failure> {
    match (format, needed) {
        (_, []) => Ok(()),
        (PatchFormat::Kustomize, needed) => output::print(&patch::kustomize(needed)),
        (PatchFormat::Kubectl, needed) if needed.iter().any(|it| it.version != "v1") => {
            // The server holds every CRD as v1, with other places.
            Err(Failure::new("clusters serve v1: take the CRD from there (`kubectl get crd NAME -o yaml`)"))
        }
        (PatchFormat::Kubectl, needed) => {
            let lines: String = needed.iter().map(|it| patch::kubectl(it)).collect();
            output::print(&lines)
        }
        (PatchFormat::Json, [one]) => {
            let operations = serde_json::Value::from(one.operations.clone());
            output::print(&format!("{operations:#}\n"))
        }
        (PatchFormat::Json, _) => {
            Err(Failure::new("`--format json` prints the operations of one CRD: choose it with --only"))
        }
    }
}

/// Says what a patch leaves; gives the number of errors.
fn tell(patch: &Patch, safety: Safety) -> usize {
    let errors: Vec<_> = patch.left.iter().filter(|it| it.severity == Severity::Error).collect();
    let name = &patch.name;
    match (patch.operations.is_empty(), errors.len()) {
        (true, 0) => output::note(format_args!("{name}: no patch is needed")),
        (false, 0) => output::note(format_args!("{name}: patched, it keeps what Kopf writes")),
        _ => errors.iter().for_each(|it| {
            let offered = it.fix.as_ref().is_some_and(|it| it.safety > safety);
            let hint = if offered { " (`--unsafe` patches it)" } else { "" };
            output::note(format_args!("{name}: {}[{}]: {}{hint}", it.severity.name(), it.rule, it.message))
        }),
    }
    errors.len()
}
