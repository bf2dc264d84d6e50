//! `explain`: the page of a rule.

use crate::output;
use crate::output::Done;
use crate::output::Failure;
use crate::output::Outcome;
use clap::Args;
use kopf_crd::rules;

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

pub(crate) fn run(args: &ExplainArgs) -> Done {
    let Some(name) = &args.rule else {
        let width = rules::ALL.iter().map(|it| it.name.len()).max().unwrap_or(0);
        let lines = rules::ALL.iter().map(|it| {
            format!("{:width$}  {:7}  {}\n", it.name, it.severity.name(), it.summary().replace('\n', " "))
        });
        output::print(&lines.collect::<String>())?;
        return Ok(Outcome::Clean);
    };
    // People paste what they see: `error[pruned-status]`.
    let bare = name.rsplit('[').next().unwrap_or(name).trim_end_matches([']', ':']);
    let rule = rules::by_name(bare).ok_or_else(|| match rules::did_you_mean(bare) {
        Some(close) => Failure::new(format_args!("there is no rule `{bare}`: did you mean `{close}`?")),
        None => Failure::new(format_args!(
            "there is no rule `{bare}`: `cargo kopf-crd explain --list` names them"
        )),
    })?;
    output::print(rule.docs)?;
    Ok(Outcome::Clean)
}
