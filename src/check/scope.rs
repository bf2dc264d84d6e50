//! Which CRDs are of interest: most of those in a cluster belong to other operators and may drop what they like.

use crate::crd::Crd;

/// What to judge and what to leave alone: names, groups, kinds or paths; `*` stands for anything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scope {
    /// If any is given, only what one of these names.
    pub only: Vec<String>,
    /// Nothing that one of these names.
    pub skip: Vec<String>,
}

impl Scope {
    /// Whether a CRD of a source is to be judged.
    pub fn wants(&self, source: &str, crd: &Crd) -> bool {
        let fits = |pattern: &String| names(pattern, source, crd);
        (self.only.is_empty() || self.only.iter().any(fits)) && !self.skip.iter().any(fits)
    }
}

/// Whether a pattern names a CRD, by one of its names or by the path of its source.
fn names(pattern: &str, source: &str, crd: &Crd) -> bool {
    let path = pattern.strip_prefix("./").unwrap_or(pattern);
    // A directory stands for everything below it.
    let below = || {
        path.contains('/')
            && source.strip_prefix(path.trim_end_matches('/')).is_some_and(|it| it.starts_with('/'))
    };
    [&crd.name, &crd.group, &crd.names.kind, &crd.names.plural].iter().any(|it| fits(pattern, it))
        || fits(path, source)
        || below()
}

/// Whether a pattern with `*` fits a text, whatever the case of its letters.
fn fits(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.to_lowercase(), text.to_lowercase());
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(before) = last.replace(part) {
            match rest.find(before) {
                Some(at) => rest = &rest[at + before.len()..],
                None => return false,
            }
        }
    }
    match last {
        Some(end) => rest.ends_with(end),
        None => rest.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_or_do_not() {
        let cases = [
            ("widgets.example.com", "widgets.example.com", true),
            ("widgets", "widgets.example.com", false),
            ("*.example.com", "widgets.example.com", true),
            ("*.example.com", "example.com", false),
            ("crds/*/v1.yaml", "crds/a/b/v1.yaml", true),
            ("*a*a", "a", false),
            ("*", "", true),
            ("widget", "Widget", true),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(fits(pattern, text), expected, "{pattern} on {text}");
        }
    }
}
