//! From the CRDs that derived types export to the files that are committed: versions merged, judged, printed, compared.
//!
//! Values in, text out. How types are found and run is the command's business.

mod merge;
mod print;

use serde::Deserialize;
use serde_json::Value;

use crate::check;
use crate::check::Contracts;
use crate::check::Options;
use crate::check::Report;
use crate::kopf::ContractConfig;
use crate::source::Source;

pub use merge::merge;
pub use print::diff;
pub use print::json;
pub use print::with_head;
pub use print::yaml;

/// One version of a CRD, as a derived type exports it.
#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    /// The CRD; as kube makes it, with one version.
    pub crd: Value,
    /// What the attributes of the type say; none for a CRD that comes from no derived type.
    pub contract: Option<ContractConfig>,
    /// Where the type is derived.
    pub origin: Origin,
    /// What the type itself found wrong.
    pub problems: Vec<String>,
}

/// Where a type is derived.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct Origin {
    /// The name of the root type.
    #[serde(rename = "type")]
    pub ty: String,
    /// Its module.
    pub module: String,
    /// The file, as the compiler names it.
    pub file: String,
    /// The line in it.
    pub line: u32,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "{}", self.file),
            line => write!(f, "`{}` ({}:{line})", self.ty, self.file),
        }
    }
}

/// A CRD with all its versions.
#[derive(Debug, Clone, PartialEq)]
pub struct Generated {
    /// `metadata.name`.
    pub name: String,
    /// The whole CRD.
    pub crd: Value,
    /// What is written through each version, by its name; empty where no derived type says it.
    pub contracts: Vec<(String, ContractConfig)>,
    /// Where its versions come from.
    pub origins: Vec<Origin>,
}

#[derive(Deserialize)]
struct Envelope {
    schema: String,
    #[serde(flatten)]
    origin: Origin,
    contract: Option<ContractConfig>,
    #[serde(default)]
    problems: Vec<String>,
    crd: Option<Value>,
    error: Option<String>,
}

/// Reads what a derived type exported.
///
/// # Errors
/// When the type could not make its CRD, or was built with a version of this library that writes something else.
pub fn read(text: &str) -> Result<Exported, String> {
    let envelope: Envelope =
        serde_json::from_str(text).map_err(|error| format!("an export cannot be read: {error}"))?;
    let Envelope { schema, origin, contract, problems, crd, error } = envelope;
    if schema != "kopf-crd/export/v1" {
        return Err(format!(
            "{origin} exports `{schema}`: use one version of kopf-crd for the types and the command"
        ));
    }
    match (crd, contract, error) {
        (Some(crd), Some(contract), None) => Ok(Exported { crd, contract: Some(contract), origin, problems }),
        (.., error) => {
            Err(format!("{origin} has no CRD: {}", error.unwrap_or_else(|| "nothing is exported".to_owned())))
        }
    }
}

/// Judges a CRD as `check` would, by what its types state. `flags` win over them.
///
/// `text` is the CRD as it is printed. One report a contract: versions of one kind may have contracts of their own.
///
/// # Errors
/// When flags and attributes make no sense together.
pub fn judge(
    generated: &Generated,
    name: &str,
    text: &str,
    flags: &ContractConfig,
    options: &Options,
) -> Result<Vec<(Source, Report)>, String> {
    let source = Source::new(name, text);
    if generated.contracts.is_empty() {
        let report = check::check(&source, options);
        return Ok(vec![(source, report)]);
    }
    let mut found = Vec::new();
    let several = generated.contracts.iter().any(|it| it.1 != generated.contracts[0].1);
    for (version, contract) in &generated.contracts {
        let mut said = flags.clone().over(contract.clone());
        if several && said.api_version.is_none() {
            said.api_version = Some(version.clone());
        }
        let options = Options { contracts: Contracts::new(&said)?, ..options.clone() };
        found.push((source.clone(), check::check(&source, &options)));
        if !several {
            break;
        }
    }
    Ok(found)
}
