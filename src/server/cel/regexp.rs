//! Regular expressions of rules.

use crate::server::cel::syntax::Failure;
use crate::server::validate::pattern;
use crate::server::validate::pattern::Refused;
use regex::Regex;

/// Compiles a pattern of RE2.
pub(super) fn compile(pattern: &str) -> Result<Regex, Failure> {
    pattern::compile(pattern).map_err(failure)
}

/// Refuses what Go does not compile; nothing is compiled for that.
pub(super) fn check(pattern: &str) -> Result<(), Failure> {
    pattern::check(pattern).map_err(failure)
}

fn failure(refused: Refused) -> Failure {
    match refused {
        Refused::Invalid(why) => Failure::Refused(format!("error parsing regexp: {why}")),
        Refused::Unsupported(why) | Refused::Unknown(why) => Failure::Unknown(why),
    }
}
