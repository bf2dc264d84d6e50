//! `explain`: the page of a rule.

use crate::args::ExplainArgs;
use crate::output;
use crate::output::Done;
use crate::output::Failure;
use crate::output::Outcome;
use kopf_crd::rules;

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
