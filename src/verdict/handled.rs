//! Which version an operator handles when it names none.

use std::cmp::Reverse;

use crate::crd::Crd;
use crate::crd::Version;

/// The version that is handled: the named one, else the preferred one of those that are served.
pub(super) fn version<'c>(crd: &'c Crd, named: Option<&str>) -> Option<&'c Version> {
    let served = || crd.versions.iter().filter(|it| it.served);
    let named = served().find(|it| named == Some(it.name.as_str()));
    named.or_else(|| served().max_by_key(|it| version_priority(&it.name)))
}

/// The rank of a version name in Kubernetes' order; the greatest is the API's preferred version.
///
/// `v10` before `v2`, stable before `beta` before `alpha`, all of them before other names, which stand in reverse
/// alphabetical rank. Mirrors `CompareKubeAwareVersionStrings` of k8s.io/apimachinery/pkg/version.
pub fn version_priority(name: &str) -> impl Ord + use<> {
    let parsed = parse(name);
    (parsed.is_some(), parsed, Reverse(name.to_owned()))
}

/// Stability (2 stable, 1 beta, 0 alpha), major, minor.
fn parse(name: &str) -> Option<(u8, u64, u64)> {
    let rest = name.strip_prefix('v')?;
    let (major, rest) = number(rest)?;
    if rest.is_empty() {
        return Some((2, major, 0));
    }
    let (stability, rest) = match (rest.strip_prefix("beta"), rest.strip_prefix("alpha")) {
        (Some(rest), _) => (1, rest),
        (_, Some(rest)) => (0, rest),
        _ => return None,
    };
    let (minor, rest) = number(rest)?;
    rest.is_empty().then_some((stability, major, minor))
}

/// A number, and what follows it.
fn number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|it: char| !it.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    Some((digits.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::version_priority;

    #[test]
    fn the_order_of_kubernetes() {
        let order =
            ["v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "foo1", "foo10"];
        let mut sorted = order;
        sorted.reverse();
        sorted.sort_by_key(|it| std::cmp::Reverse(version_priority(it)));
        assert_eq!(sorted, order);
    }
}
