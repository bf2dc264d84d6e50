//! The contract as flags and configuration files state it, and the defaults of what they leave out.
//!
//! The same keys everywhere: `--progress-field` is `progress-field` in a file. This module reads neither.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::Serialize;

use crate::kopf::Contract;
use crate::kopf::Field;
use crate::kopf::KopfVersion;
use crate::kopf::Shape;
use crate::kopf::Written;
use crate::kopf::storage::AnnotationsDiffbase;
use crate::kopf::storage::AnnotationsProgress;
use crate::kopf::storage::Diffbase;
use crate::kopf::storage::DiffbaseStorage;
use crate::kopf::storage::Multi;
use crate::kopf::storage::Progress;
use crate::kopf::storage::ProgressStorage;
use crate::kopf::storage::SmartProgress;
use crate::kopf::storage::StatusDiffbase;
use crate::kopf::storage::StatusProgress;
use crate::path::Path;

/// What flags or a file say of an operator; what is absent has its default.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ContractConfig {
    /// The version of Kopf. Default: the newest known.
    pub kopf: Option<KopfVersion>,
    /// Where progress is stored. Default: `status`.
    pub storage: Option<StorageKind>,
    /// What `{name}` stands for in the fields of storages in the status. Default: `kopf`.
    pub name: Option<String>,
    /// The mapping of the records. Default: `status.{name}.progress`.
    pub progress_field: Option<Field>,
    /// The timestamp that wakes the operator up. Default: `status.{name}.dummy`.
    pub touch_field: Option<Field>,
    /// Where the last handled configuration is stored.
    /// Default: `status` with `storage = "status"` or a `diffbase-field`, else `annotations`.
    pub diffbase: Option<DiffbaseKind>,
    /// The place of the last handled configuration. Default: `status.{name}.last-handled-configuration`.
    pub diffbase_field: Option<Field>,
    /// The storage of progress with any arguments, as Python code makes it, instead of `storage`, `progress-field` and `touch-field`:
    /// `{ kind = "annotations", prefix = "my.example.com", v1 = false }`, `{ kind = "multi", storages = […] }`.
    pub progress_storage: Option<ProgressStorage>,
    /// The storage of the last handled configuration with any arguments, instead of `diffbase` and `diffbase-field`.
    pub diffbase_storage: Option<DiffbaseStorage>,
    /// What stands before the slash in the keys of annotations. Default: `kopf.zalando.org`.
    pub prefix: Option<String>,
    /// What handlers return, each as `ID`, `ID=TYPE` or `ID=JSON`.
    pub result: Option<Vec<String>>,
    /// What handlers return that are not named in `result`. Default: `unknown`, but `none` if any is named.
    pub results: Option<OtherResults>,
    /// The fields that handlers patch, each as `PATH`, `PATH=TYPE` or `PATH=JSON`.
    pub writes: Option<Vec<String>>,
    /// The version of the API that the handlers name. Default: the preferred one.
    pub api_version: Option<String>,
    /// What is different for some CRDs, by their names (`widgets.example.com`).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub crd: BTreeMap<String, ContractConfig>,
}

/// A storage of progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StorageKind {
    /// `StatusProgressStorage`.
    Status,
    /// `SmartProgressStorage`, Kopf's default.
    Smart,
    /// `AnnotationsProgressStorage`.
    Annotations,
    /// `MultiProgressStorage` of annotations and the status, in this order.
    Multi,
}

/// A storage of the last handled configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DiffbaseKind {
    /// `StatusDiffBaseStorage`.
    Status,
    /// `AnnotationsDiffBaseStorage`, Kopf's default.
    Annotations,
}

/// What handlers return that nobody named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OtherResults {
    /// Nothing.
    None,
    /// Possibly anything.
    Unknown,
}

impl ContractConfig {
    /// These statements, and where they are silent those of `base`: flags over a file, also over what a file says of one CRD.
    pub fn over(self, mut base: Self) -> Self {
        let general = Self { crd: BTreeMap::new(), ..self.clone() };
        for own in base.crd.values_mut() {
            *own = general.clone().over(std::mem::take(own));
        }
        for (name, config) in self.crd {
            let below = base.crd.remove(&name).unwrap_or_default();
            base.crd.insert(name, config.over(below));
        }
        // A storage in one form replaces one in the other.
        if self.storage.is_some() || self.progress_field.is_some() || self.touch_field.is_some() {
            base.progress_storage = None;
        }
        if self.progress_storage.is_some() {
            (base.storage, base.progress_field, base.touch_field) = Default::default();
        }
        if self.diffbase.is_some() || self.diffbase_field.is_some() {
            base.diffbase_storage = None;
        }
        if self.diffbase_storage.is_some() {
            (base.diffbase, base.diffbase_field) = Default::default();
        }
        // Who names results anew says with them what the others return.
        let results = if self.result.is_some() { self.results } else { self.results.or(base.results) };
        Self {
            kopf: self.kopf.or(base.kopf),
            storage: self.storage.or(base.storage),
            name: self.name.or(base.name),
            progress_field: self.progress_field.or(base.progress_field),
            touch_field: self.touch_field.or(base.touch_field),
            diffbase: self.diffbase.or(base.diffbase),
            diffbase_field: self.diffbase_field.or(base.diffbase_field),
            progress_storage: self.progress_storage.or(base.progress_storage),
            diffbase_storage: self.diffbase_storage.or(base.diffbase_storage),
            prefix: self.prefix.or(base.prefix),
            result: self.result.or(base.result),
            results,
            writes: self.writes.or(base.writes),
            api_version: self.api_version.or(base.api_version),
            crd: base.crd,
        }
    }

    /// What holds for the CRD of this name: its own statements over the general ones.
    pub fn for_crd(&self, name: &str) -> Self {
        let mut general = self.clone();
        let own = general.crd.remove(name).unwrap_or_default();
        general.crd.clear();
        own.over(general)
    }

    /// Whether nothing at all is said.
    pub fn is_silent(&self) -> bool {
        *self == Self::default()
    }

    /// The contract, with defaults for what is not said.
    ///
    /// # Errors
    /// When statements make no sense, alone or together. The message names the key.
    pub fn contract(&self) -> Result<Contract, String> {
        let kopf = self.kopf.unwrap_or_default();
        let diffbase = self.diffbase_kind(kopf);
        self.check_use(diffbase)?;
        if kopf < KopfVersion::STORAGES && !self.is_fixed(diffbase) {
            return Err(format!(
                "storages cannot be chosen in Kopf {kopf}: before {}, progress is in `status.kopf.progress` and the diff-base in an annotation",
                KopfVersion::STORAGES
            ));
        }
        let progress = self.progress_storage.clone().unwrap_or_else(|| self.progress_of_kind());
        let diffbase = self.diffbase_storage.clone().unwrap_or_else(|| self.diffbase_of_kind(diffbase));
        let (progress, diffbase) = (progress.places(kopf)?, diffbase.places(kopf)?);
        check_roots(&progress, &diffbase)?;
        let results = self.result.iter().flatten().map(|it| result(it)).collect::<Result<Vec<_>, _>>()?;
        let writes = self.writes.iter().flatten().map(|it| write(it)).collect::<Result<Vec<_>, _>>()?;
        let other_results = match self.results {
            Some(said) => said == OtherResults::Unknown,
            None => results.is_empty(),
        };
        let api_version = self.api_version.clone();
        Ok(Contract { kopf, progress, diffbase, results, other_results, writes, peering: false, api_version })
    }

    fn storage_kind(&self) -> StorageKind {
        self.storage.unwrap_or(match self.progress_storage {
            Some(ProgressStorage::Annotations(_)) => StorageKind::Annotations,
            Some(ProgressStorage::Smart(_)) => StorageKind::Smart,
            Some(ProgressStorage::Multi(_)) => StorageKind::Multi,
            Some(ProgressStorage::Status(_)) | None => StorageKind::Status,
        })
    }

    fn diffbase_kind(&self, kopf: KopfVersion) -> DiffbaseKind {
        match (self.diffbase, &self.diffbase_field, self.storage_kind()) {
            (Some(said), ..) => said,
            // It was a fixed annotation before storages could be chosen.
            _ if kopf < KopfVersion::STORAGES => DiffbaseKind::Annotations,
            (None, Some(_), _) | (None, None, StorageKind::Status) => DiffbaseKind::Status,
            (None, None, _) => DiffbaseKind::Annotations,
        }
    }

    /// A statement without any use is a mistake about the operator.
    fn check_use(&self, diffbase: DiffbaseKind) -> Result<(), String> {
        let in_status = self.storage_kind() != StorageKind::Annotations;
        let (long_progress, long_diffbase) =
            (self.progress_storage.is_some(), self.diffbase_storage.is_some());
        // The short forms are made of these keys, the long ones have their own.
        let progress_status = !long_progress && in_status;
        let progress_annotations = !long_progress && self.storage_kind() != StorageKind::Status;
        let diffbase_status = !long_diffbase && diffbase == DiffbaseKind::Status;
        let diffbase_annotations = !long_diffbase && diffbase == DiffbaseKind::Annotations;
        let no_progress =
            if long_progress { "`progress-storage` says it" } else { "progress is not in the status" };
        let no_diffbase =
            if long_diffbase { "`diffbase-storage` says it" } else { "the diff-base is not in the status" };
        let in_any_status = progress_status || diffbase_status;
        let in_any_annotation = progress_annotations || diffbase_annotations;
        let uses = [
            ("storage", self.storage.is_some(), !long_progress, no_progress),
            ("progress-field", self.progress_field.is_some(), progress_status, no_progress),
            ("touch-field", self.touch_field.is_some(), progress_status, no_progress),
            ("diffbase", self.diffbase.is_some(), !long_diffbase, no_diffbase),
            ("diffbase-field", self.diffbase_field.is_some(), diffbase_status, no_diffbase),
            ("name", self.name.is_some(), in_any_status, "no storage is in the status"),
            ("prefix", self.prefix.is_some(), in_any_annotation, "no storage is in annotations"),
        ];
        match uses.iter().find(|(_, said, used, _)| *said && !used) {
            Some((key, .., why)) => Err(format!("`{key}` has no use: {why}")),
            None => Ok(()),
        }
    }

    /// Whether the storages are those of before any could be chosen.
    fn is_fixed(&self, diffbase: DiffbaseKind) -> bool {
        let long = self.progress_storage.is_some() || self.diffbase_storage.is_some();
        let fields =
            self.progress_field.is_some() || self.touch_field.is_some() || self.diffbase_field.is_some();
        let named = self.name.is_some() || self.prefix.is_some();
        let kinds = self.storage_kind() == StorageKind::Status && diffbase == DiffbaseKind::Annotations;
        kinds && !(long || fields || named)
    }

    fn progress_of_kind(&self) -> ProgressStorage {
        let default = SmartProgress::default();
        let name = self.name.clone().unwrap_or(default.name);
        let field = self.progress_field.clone().unwrap_or(default.field);
        let touch_field = self.touch_field.clone().unwrap_or(default.touch_field);
        let prefix = self.prefix.clone().unwrap_or(default.prefix);
        let SmartProgress { touch_key, v1, verbose, .. } = default;
        let status =
            StatusProgress { name: name.clone(), field: field.clone(), touch_field: touch_field.clone() };
        let annotations =
            AnnotationsProgress { prefix: prefix.clone(), verbose, touch_key: touch_key.clone(), v1 };
        match self.storage_kind() {
            StorageKind::Status => ProgressStorage::Status(status),
            StorageKind::Annotations => ProgressStorage::Annotations(annotations),
            StorageKind::Smart => ProgressStorage::Smart(SmartProgress {
                name,
                field,
                touch_key,
                touch_field,
                prefix,
                v1,
                verbose,
            }),
            StorageKind::Multi => {
                let members =
                    vec![ProgressStorage::Annotations(annotations), ProgressStorage::Status(status)];
                ProgressStorage::Multi(Multi { storages: members })
            }
        }
    }

    fn diffbase_of_kind(&self, diffbase: DiffbaseKind) -> DiffbaseStorage {
        match diffbase {
            DiffbaseKind::Status => {
                let default = StatusDiffbase::default();
                let name = self.name.clone().unwrap_or(default.name);
                let field = self.diffbase_field.clone().unwrap_or(default.field);
                DiffbaseStorage::Status(StatusDiffbase { name, field, ..StatusDiffbase::default() })
            }
            DiffbaseKind::Annotations => {
                let default = AnnotationsDiffbase::default();
                let prefix = self.prefix.clone().unwrap_or(default.prefix);
                DiffbaseStorage::Annotations(AnnotationsDiffbase { prefix, ..AnnotationsDiffbase::default() })
            }
        }
    }
}

impl Default for Contract {
    /// The contract of whoever says nothing: everything that can be lost is in the status.
    fn default() -> Self {
        ContractConfig::default().contract().expect("the defaults make sense together")
    }
}

/// Kopf raises an error as soon as it cleans a storage out of the last handled configuration.
fn check_roots(progress: &[Progress], diffbase: &[Diffbase]) -> Result<(), String> {
    let mut named = Vec::new();
    for place in progress {
        if let Progress::Fields { field, touch_field, .. } = place {
            named.extend([("progress-field", field), ("touch-field", touch_field)]);
        }
    }
    for place in diffbase {
        if let Diffbase::Field { field, .. } = place {
            named.push(("diffbase-field", field));
        }
    }
    match named.iter().find(|(_, path)| path.0.is_empty()) {
        Some((key, _)) => Err(format!("`{key}` is the root of the object: Kopf fails with it")),
        None => Ok(()),
    }
}

fn result(text: &str) -> Result<Written<String>, String> {
    let (id, shape) = match text.split_once('=') {
        Some((id, shape)) => (id, shape.parse().map_err(|error| format!("`result` of `{id}`: {error}"))?),
        None => (text, Shape::Any),
    };
    if id.is_empty() {
        return Err(format!("`result` needs the id of a handler, not `{text}`"));
    }
    if shape == Shape::Example(serde_json::Value::Null) {
        return Err(format!("`result` of `{id}`: a handler that returns nothing writes nothing"));
    }
    Ok(Written { name: id.to_owned(), shape })
}

fn write(text: &str) -> Result<Written<Path>, String> {
    let (path, shape) = match equals_sign(text) {
        Some(at) => {
            let shape =
                text[at + 1..].parse().map_err(|error| format!("`writes` of `{}`: {error}", &text[..at]))?;
            (&text[..at], shape)
        }
        None => (text, Shape::Any),
    };
    let path = Path::parse(path).map_err(|error| format!("`writes` of `{path}`: {error}"))?;
    if matches!(path.0[0].as_str(), "apiVersion" | "kind") {
        return Err(format!("`writes` of `{path}`: no patch can change it"));
    }
    Ok(Written { name: path, shape })
}

/// The first `=` outside the quotes of a key.
fn equals_sign(text: &str) -> Option<usize> {
    let mut quoted = false;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'=' if !quoted => return Some(at),
            _ => {}
        }
    }
    None
}
