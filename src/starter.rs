//! The first files of an operator: a CRD that keeps its status, settings, the configuration of this tool.
//!
//! The templates are clean CRDs themselves; names are put in the place of theirs.

/// The names of a kind of objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    /// `kind`, such as `Widget`.
    pub kind: String,
    /// `plural`, such as `widgets`.
    pub plural: String,
    /// The API group, such as `example.com`.
    pub group: String,
    /// The first version, such as `v1`.
    pub version: String,
}

/// How a status is opened for Kopf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Only `kopf`, beside typed properties.
    Narrow,
    /// The whole status.
    Open,
}

/// A file to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// The CRD, the settings of the operator and the configuration, in this order.
pub fn files(names: &Names, style: Style) -> [File; 3] {
    let (crd, config) = match style {
        Style::Narrow => {
            (include_str!("../templates/init/narrow.yaml"), include_str!("../templates/init/narrow.toml"))
        }
        Style::Open => {
            (include_str!("../templates/init/open.yaml"), include_str!("../templates/init/open.toml"))
        }
    };
    [
        File { name: format!("{}.{}.yaml", names.plural, names.group), text: filled(crd, names) },
        File {
            name: "settings.py".to_owned(),
            text: include_str!("../templates/init/settings.py").to_owned(),
        },
        File { name: "kopf-crd.toml".to_owned(), text: filled(config, names) },
    ]
}

/// A crate with the kind as a Rust type: its manifest and its library. It builds, and its tests pass.
pub fn rust(names: &Names) -> [File; 2] {
    let library = filled(include_str!("../templates/rust/src/lib.rs"), names);
    let library = library.replace("version = \"v1\"", &format!("version = \"{}\"", names.version));
    let manifest = filled(include_str!("../templates/rust/Cargo.toml.txt"), names);
    [
        File { name: "Cargo.toml".to_owned(), text: manifest },
        File { name: "src/lib.rs".to_owned(), text: library },
    ]
}

/// The plural of a kind, by the rules that code generators of Kubernetes use.
pub fn plural(kind: &str) -> String {
    let word = kind.to_lowercase();
    match word.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ if word.ends_with('s') || word.ends_with('x') || word.ends_with("ch") || word.ends_with("sh") => {
            format!("{word}es")
        }
        _ => format!("{word}s"),
    }
}

fn filled(text: &str, names: &Names) -> String {
    let version = format!("name: {}\n", names.version);
    // Through marks, so that a name is not taken for one that is still to be put in.
    let marks = [
        ("example.com", "\u{1}", names.group.clone()),
        ("widgets", "\u{2}", names.plural.clone()),
        ("Widget", "\u{3}", names.kind.clone()),
        ("widget", "\u{4}", names.kind.to_lowercase()),
        ("name: v1\n", "\u{5}", version),
    ];
    let marked = marks.iter().fold(text.to_owned(), |text, (word, mark, _)| text.replace(word, mark));
    marks.iter().fold(marked, |text, (_, mark, name)| text.replace(mark, name))
}
