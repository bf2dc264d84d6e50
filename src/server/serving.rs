//! A CRD as the API server serves it.
//!
//! Mirrors `getOrCreateServingInfoFor` of apiextensions-apiserver/pkg/apiserver/customresource_handler.go. What it answers
//! to requests is in [`handle`](super::handle).

use super::cel::Rules;
use super::default::Defaults;
use super::structural;
use super::validate::pattern::Patterns;
use crate::crd::Crd;
use crate::crd::Version;
use crate::schema::Schema;

/// A served CRD.
#[derive(Debug)]
pub struct Serving<'c> {
    pub(super) crd: &'c Crd,
    /// The storage version's name.
    pub(super) storage: &'c str,
    versions: Vec<Served<'c>>,
    pub(super) patterns: Patterns,
    no_defaults: Defaults,
}

/// A version with what serving it needs.
#[derive(Debug)]
pub(super) struct Served<'c> {
    pub(super) version: &'c Version,
    /// The structural schema; none where there is none, or where a legacy CRD's is not structural.
    pub(super) schema: Option<&'c Schema>,
    pub(super) defaults: Defaults,
    pub(super) rules: Rules,
    /// Why answers of this version are not certain.
    pub(super) unknown: Option<String>,
}

impl<'c> Serving<'c> {
    /// Makes a CRD ready to serve. The error says why the server could not.
    ///
    /// Whether the server would accept the CRD is not asked.
    pub fn new(crd: &'c Crd) -> Result<Self, String> {
        let storage = crd.storage_version().ok_or("the CRD has no storage version")?;
        let versions = crd.versions.iter().map(|it| serve(crd, it)).collect::<Result<_, _>>()?;
        Ok(Self {
            crd,
            storage: &storage.name,
            versions,
            patterns: Patterns::default(),
            no_defaults: Defaults::default(),
        })
    }

    /// The name of the storage version.
    pub fn storage_version(&self) -> &'c str {
        self.storage
    }

    pub(super) fn version(&self, name: &str) -> Option<&Served<'c>> {
        self.versions.iter().find(|it| it.version.name == name)
    }

    pub(super) fn defaults<'s>(&'s self, served: Option<&'s Served<'c>>) -> &'s Defaults {
        served.map_or(&self.no_defaults, |it| &it.defaults)
    }

    /// The group of the resource.
    pub fn group(&self) -> &'c str {
        &self.crd.group
    }

    /// The kind of the resource.
    pub fn kind(&self) -> &'c str {
        &self.crd.names.kind
    }

    /// Whether objects are in namespaces.
    pub fn namespaced(&self) -> bool {
        self.crd.scope == "Namespaced"
    }

    /// Whether a version is served or stored.
    pub fn handles(&self, version: &str) -> bool {
        self.version(version).is_some_and(|it| it.version.served || it.version.storage)
    }
}

fn serve<'c>(crd: &'c Crd, version: &'c Version) -> Result<Served<'c>, String> {
    let mut served = Served {
        version,
        schema: None,
        defaults: Defaults::default(),
        rules: Rules::default(),
        unknown: crd.unread.clone(),
    };
    let Some(schema) = &version.schema else { return Ok(served) };
    let unserved = "the server could not properly serve the CR schema: ";
    if let Some((why, _)) = structural::unconvertible(schema) {
        if !crd.preserve_unknown_fields {
            return Err(format!("{unserved}{why}"));
        }
        served.unknown = Some(format!("the schema of {} is not structural: {why}", version.name));
        return Ok(served);
    }
    served.schema = Some(schema);
    served.rules = Rules::of(schema);
    if !crd.preserve_unknown_fields {
        served.defaults = Defaults::served(schema).map_err(|it| format!("{unserved}{it}"))?;
    }
    Ok(served)
}
