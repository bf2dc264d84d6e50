//! The kinds of storages that Kopf has, with the arguments of their constructors, and what each comes down to.
//!
//! Mirrors the constructors in Kopf's `_cogs/configs/progress.py` and `diffbase.py`.
//! This module does not know what is stored.

use serde::Deserialize;
use serde::Serialize;
use serde_json::Value;

use crate::kopf::KopfVersion;
use crate::kopf::field::Field;
use crate::path::Path;

/// The prefix of annotations when nothing else is said.
pub const PREFIX: &str = "kopf.zalando.org";

/// A kind of storage: its class in Python, and the word for it here.
struct Class {
    python: &'static str,
    word: &'static str,
}

const PROGRESS: &[Class] = &[
    Class { python: "StatusProgressStorage", word: "status" },
    Class { python: "AnnotationsProgressStorage", word: "annotations" },
    Class { python: "SmartProgressStorage", word: "smart" },
    Class { python: "MultiProgressStorage", word: "multi" },
];

const DIFFBASE: &[Class] = &[
    Class { python: "StatusDiffBaseStorage", word: "status" },
    Class { python: "AnnotationsDiffBaseStorage", word: "annotations" },
    Class { python: "MultiDiffBaseStorage", word: "multi" },
];

/// Where progress is stored: a class of Python with its arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ProgressStorage {
    /// `StatusProgressStorage`.
    Status(StatusProgress),
    /// `AnnotationsProgressStorage`.
    Annotations(AnnotationsProgress),
    /// `SmartProgressStorage`, Kopf's default: annotations, and the status beside them before Kopf 1.44.
    Smart(SmartProgress),
    /// `MultiProgressStorage`: written to all, read from the first that has something.
    Multi(Multi<ProgressStorage>),
}

/// The arguments of `StatusProgressStorage`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StatusProgress {
    /// What `{name}` stands for in the fields.
    pub name: String,
    /// The mapping of the records.
    pub field: Field,
    /// The timestamp that wakes the operator up.
    pub touch_field: Field,
}

impl Default for StatusProgress {
    fn default() -> Self {
        Self {
            name: "kopf".to_owned(),
            field: Field::dotted("status.{name}.progress"),
            touch_field: Field::dotted("status.{name}.dummy"),
        }
    }
}

/// The arguments of `AnnotationsProgressStorage`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AnnotationsProgress {
    /// What stands before the slash in the keys.
    pub prefix: String,
    /// Whether absent members of a record are written as `null`.
    pub verbose: bool,
    /// The name of the timestamp that wakes the operator up.
    pub touch_key: String,
    /// Whether keys of Kopf before 0.28 are written too.
    pub v1: bool,
}

impl Default for AnnotationsProgress {
    fn default() -> Self {
        Self { prefix: PREFIX.to_owned(), verbose: false, touch_key: "touch-dummy".to_owned(), v1: true }
    }
}

/// The arguments of `SmartProgressStorage`: those of both its members.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SmartProgress {
    /// See [`StatusProgress::name`].
    pub name: String,
    /// See [`StatusProgress::field`].
    pub field: Field,
    /// See [`AnnotationsProgress::touch_key`].
    pub touch_key: String,
    /// See [`StatusProgress::touch_field`].
    pub touch_field: Field,
    /// See [`AnnotationsProgress::prefix`].
    pub prefix: String,
    /// See [`AnnotationsProgress::v1`].
    pub v1: bool,
    /// See [`AnnotationsProgress::verbose`].
    pub verbose: bool,
}

impl Default for SmartProgress {
    fn default() -> Self {
        let StatusProgress { name, field, touch_field } = StatusProgress::default();
        let AnnotationsProgress { prefix, verbose, touch_key, v1 } = AnnotationsProgress::default();
        Self { name, field, touch_key, touch_field, prefix, v1, verbose }
    }
}

/// Several storages at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Multi<T> {
    /// The members, in the order in which they are read.
    pub storages: Vec<T>,
}

/// Where the last handled configuration is stored: a class of Python with its arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum DiffbaseStorage {
    /// `StatusDiffBaseStorage`.
    Status(StatusDiffbase),
    /// `AnnotationsDiffBaseStorage`, Kopf's default.
    Annotations(AnnotationsDiffbase),
    /// `MultiDiffBaseStorage`: written to all, read from the first that has something.
    Multi(Multi<DiffbaseStorage>),
}

/// The arguments of `StatusDiffBaseStorage`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StatusDiffbase {
    /// What `{name}` stands for in the field.
    pub name: String,
    /// The place of the text.
    pub field: Field,
    /// What is left out of the configuration (since Kopf 1.39.1).
    pub ignored_fields: Vec<Field>,
}

impl Default for StatusDiffbase {
    fn default() -> Self {
        Self {
            name: "kopf".to_owned(),
            field: Field::dotted("status.{name}.last-handled-configuration"),
            ignored_fields: Vec::new(),
        }
    }
}

/// The arguments of `AnnotationsDiffBaseStorage`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AnnotationsDiffbase {
    /// What stands before the slash in the key.
    pub prefix: String,
    /// What stands behind the slash in the key.
    pub key: String,
    /// What is left out of the configuration (since Kopf 1.39.1).
    pub ignored_fields: Vec<Field>,
    /// See [`AnnotationsProgress::v1`].
    pub v1: bool,
}

impl Default for AnnotationsDiffbase {
    fn default() -> Self {
        Self {
            prefix: PREFIX.to_owned(),
            key: "last-handled-configuration".to_owned(),
            ignored_fields: Vec::new(),
            v1: true,
        }
    }
}

/// A place of progress: what a [`ProgressStorage`] comes down to, one for each member.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Progress {
    /// A mapping of records in the object, and a field to touch.
    Fields {
        /// The mapping of the records.
        field: Path,
        /// The timestamp.
        touch_field: Path,
        /// Whether it is written at all, or only read and purged.
        writes: bool,
    },
    /// An annotation for each record, and one to touch.
    Annotations(AnnotationsProgress),
}

/// A place of the last handled configuration: what a [`DiffbaseStorage`] comes down to, one for each member.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Diffbase {
    /// A text in a field of the object.
    Field {
        /// The place of the text.
        field: Path,
        /// What is left out.
        ignored_fields: Vec<Path>,
    },
    /// A text in an annotation.
    Annotation {
        /// What stands before the slash in the key.
        prefix: String,
        /// What stands behind it.
        key: String,
        /// Whether the key of Kopf before 0.28 is written too.
        v1: bool,
        /// What is left out.
        ignored_fields: Vec<Path>,
    },
}

impl ProgressStorage {
    /// The storage that a class of Python makes of keyword arguments; `MultiProgressStorage` takes `storages`, a list of pairs of the same.
    ///
    /// # Errors
    /// For a class that Kopf does not have, or arguments that the class does not take.
    pub fn from_python(class: &str, arguments: &Value) -> Result<Self, String> {
        tagged(PROGRESS, class, arguments)
    }

    /// The places that the storage comes down to with a version of Kopf.
    ///
    /// # Errors
    /// Where the constructor raises one.
    pub fn places(&self, kopf: KopfVersion) -> Result<Vec<Progress>, String> {
        match self {
            Self::Status(it) => Ok(vec![fields(it, true)?]),
            Self::Annotations(it) => {
                check_prefix(kopf, &it.prefix)?;
                Ok(vec![Progress::Annotations(it.clone())])
            }
            Self::Smart(it) => {
                check_prefix(kopf, &it.prefix)?;
                let SmartProgress { name, field, touch_key, touch_field, prefix, v1, verbose } = it.clone();
                let status = StatusProgress { name, field, touch_field };
                let annotations = AnnotationsProgress { prefix, verbose, touch_key, v1 };
                Ok(vec![
                    Progress::Annotations(annotations),
                    fields(&status, kopf < KopfVersion::QUIET_SMART)?,
                ])
            }
            Self::Multi(it) => {
                let members: Result<Vec<_>, _> = it.storages.iter().map(|it| it.places(kopf)).collect();
                Ok(members?.concat())
            }
        }
    }
}

impl DiffbaseStorage {
    /// The storage that a class of Python makes of keyword arguments; `MultiDiffBaseStorage` takes `storages`, a list of pairs of the same.
    ///
    /// # Errors
    /// For a class that Kopf does not have, or arguments that the class does not take.
    pub fn from_python(class: &str, arguments: &Value) -> Result<Self, String> {
        tagged(DIFFBASE, class, arguments)
    }

    /// The places that the storage comes down to with a version of Kopf.
    ///
    /// # Errors
    /// Where the constructor raises one.
    pub fn places(&self, kopf: KopfVersion) -> Result<Vec<Diffbase>, String> {
        match self {
            Self::Status(it) => {
                let field = it.field.path(&it.name)?;
                Ok(vec![Diffbase::Field { field, ignored_fields: paths(&it.ignored_fields)? }])
            }
            Self::Annotations(it) => {
                check_prefix(kopf, &it.prefix)?;
                let AnnotationsDiffbase { prefix, key, ignored_fields, v1 } = it.clone();
                Ok(vec![Diffbase::Annotation { prefix, key, v1, ignored_fields: paths(&ignored_fields)? }])
            }
            Self::Multi(it) => {
                let members: Result<Vec<_>, _> = it.storages.iter().map(|it| it.places(kopf)).collect();
                Ok(members?.concat())
            }
        }
    }
}

/// What the constructor of annotation storages warns about.
pub fn prefix_warning(prefix: &str) -> Option<&'static str> {
    // A key has room for 253 letters: 63 for the name, one for the slash.
    let long = prefix.chars().count() > 253 - 63 - 1;
    long.then_some("The annotations prefix is too long. It can cause errors when PATCHing.")
}

fn check_prefix(kopf: KopfVersion, prefix: &str) -> Result<(), String> {
    if prefix.is_empty() && kopf >= KopfVersion::PREFIXES {
        return Err("ValueError: Annotations storages must be prefixed.".to_owned());
    }
    Ok(())
}

fn fields(it: &StatusProgress, writes: bool) -> Result<Progress, String> {
    Ok(Progress::Fields {
        field: it.field.path(&it.name)?,
        touch_field: it.touch_field.path(&it.name)?,
        writes,
    })
}

fn paths(fields: &[Field]) -> Result<Vec<Path>, String> {
    // Ignored fields are not formatted: braces in them stay.
    let path = |it: &Field| match it {
        Field::Dotted(text) => Ok(Path::new(text.split('.'))),
        other => other.path(""),
    };
    fields.iter().map(path).collect()
}

/// Reads the arguments of a class, and in them those of its members.
fn tagged<T: for<'de> Deserialize<'de>>(
    classes: &[Class],
    class: &str,
    arguments: &Value,
) -> Result<T, String> {
    serde_json::from_value(tag(classes, class, arguments)?)
        .map_err(|error| format!("TypeError: {class}: {error}"))
}

fn tag(classes: &[Class], class: &str, arguments: &Value) -> Result<Value, String> {
    let word = classes.iter().find(|it| it.python == class).map(|it| it.word);
    let word = word.ok_or_else(|| format!("Kopf has no class `{class}`"))?;
    let mut tagged = arguments.as_object().cloned().ok_or("arguments are a mapping of their names")?;
    if let Some(Value::Array(members)) = tagged.get_mut("storages") {
        for member in members {
            let (class, arguments) = (member[0].as_str(), &member[1]);
            *member = tag(classes, class.ok_or("a member is a class with its arguments")?, arguments)?;
        }
    }
    tagged.insert("kind".to_owned(), word.into());
    Ok(Value::Object(tagged))
}
