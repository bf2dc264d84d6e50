//! Versions of Kopf, and since when it writes what.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;
use serde::Deserializer;
use serde::Serialize;
use serde::Serializer;

/// A version of Kopf: `1.45.2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KopfVersion {
    /// The first number.
    pub major: u32,
    /// The second number: what Kopf counts up when it changes what it writes.
    pub minor: u32,
    /// The third number; zero when it is not written.
    pub patch: u32,
}

impl KopfVersion {
    /// The newest version whose source was read for this module.
    pub const NEWEST: Self = Self::new(1, 45, 2);
    /// The `/status` subresource is respected.
    pub const STATUS_SUBRESOURCE: Self = Self::new(0, 26, 0);
    /// Storages can be chosen; annotations are the default, with the status beside them.
    pub const STORAGES: Self = Self::new(0, 27, 0);
    /// Sub-handlers are listed in the record; keys of annotations are kept whole; losses are logged.
    pub const SUBREFS: Self = Self::new(0, 28, 0);
    /// The purpose is in the record.
    pub const PURPOSE: Self = Self::new(0, 28, 2);
    /// Annotations must have a prefix; replica sets of deployments have keys of their own.
    pub const PREFIXES: Self = Self::new(1, 29, 0);
    /// `<` and `>` in handler ids become `_` in keys of annotations.
    pub const ANGLES: Self = Self::new(1, 31, 0);
    /// Timestamps carry their offset from UTC.
    pub const OFFSETS: Self = Self::new(1, 37, 0);
    /// The default storage leaves the status alone.
    pub const QUIET_SMART: Self = Self::new(1, 44, 0);

    /// The version of these three numbers.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self { major, minor, patch }
    }
}

impl Default for KopfVersion {
    fn default() -> Self {
        Self::NEWEST
    }
}

impl fmt::Display for KopfVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl FromStr for KopfVersion {
    type Err = String;

    /// Reads `1.45.2`, `1.45`, `v0.28rc1`, `1.45.2.post1`: what follows the numbers is of no interest here.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("`{text}` is not a version of Kopf: expected numbers such as `{}`", Self::NEWEST);
        let digits = text.strip_prefix('v').unwrap_or(text);
        let end = digits.find(|it: char| !(it.is_ascii_digit() || it == '.')).unwrap_or(digits.len());
        let (numbers, rest) = digits.split_at(end);
        // Alpha, beta, candidate, post, dev, local, and the dashes of other ecosystems.
        if !rest.is_empty() && !rest.starts_with(['a', 'b', 'r', 'p', 'd', '+', '-']) {
            return Err(wrong());
        }
        let mut parts = Vec::new();
        for part in numbers.trim_end_matches('.').split('.') {
            parts.push(part.parse::<u32>().map_err(|_| wrong())?);
        }
        match parts[..] {
            [major, minor] => Ok(Self::new(major, minor, 0)),
            [major, minor, patch] | [major, minor, patch, _] => Ok(Self::new(major, minor, patch)),
            _ => Err(wrong()),
        }
    }
}

impl Serialize for KopfVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for KopfVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
