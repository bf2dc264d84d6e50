//! `contract`: prints what the operator is taken to write.

use crate::config;
use crate::output;
use crate::output::Done;
use crate::output::Outcome;
use crate::shared::ContractArgs;
use crate::shared::InputArgs;
use crate::shared::LevelArgs;
use clap::Args;

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

pub(crate) fn run(args: &ContractCommand) -> Done {
    let config = config::load(&args.contract, &LevelArgs::default(), &InputArgs::default())?;
    let contract = match &args.crd {
        Some(name) => config.options.contracts.named(name),
        None => config.options.contracts.general(),
    };
    let slots = contract.slots();
    if args.json {
        let json =
            serde_json::json!({ "schema": "kopf-crd/contract/v1", "contract": contract, "slots": slots });
        output::print(&format!("{json:#}\n"))?;
        return Ok(Outcome::Clean);
    }
    let mut text = format!("{}\n\n", contract.describe());
    let width = |column: fn(&kopf_crd::kopf::Slot) -> usize| slots.iter().map(column).max().unwrap_or(0);
    let (names, paths) =
        (width(|it| it.name.chars().count()), width(|it| it.path.to_string().chars().count()));
    for slot in &slots {
        let critical = if slot.critical { "must be kept" } else { "may be lost" };
        let path = match slot.name.as_str() {
            "result:*" => "status.<id>".to_owned(),
            _ => slot.path.to_string(),
        };
        text += &format!("{:names$}  {path:paths$}  {critical}\n", slot.name);
    }
    text += "\nWhat is sent first:\n";
    for slot in &slots {
        if let Some(sample) = slot.samples.first() {
            text += &format!("{:names$}  {}\n", slot.name, sample.patch);
        }
    }
    output::print(&text)?;
    Ok(Outcome::Clean)
}
