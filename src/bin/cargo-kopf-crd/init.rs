//! `init`: writes the first files of an operator.

use crate::output;
use crate::output::Done;
use crate::output::Failure;
use crate::output::Outcome;
use clap::Args;
use clap::ValueEnum;
use kopf_crd::starter;
use kopf_crd::starter::Names;
use kopf_crd::starter::Style;
use std::fs;
use std::path::PathBuf;

/// Writes the first files: a CRD that keeps its status, settings for the operator, a configuration.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cargo kopf-crd init --kind Widget --group example.com
  cargo kopf-crd init --kind Widget --group example.com --style open deploy/
  cargo kopf-crd init --stdout | kubectl apply -f -
  cargo kopf-crd init --rust --kind Widget --group example.com widgets")]
pub(crate) struct InitArgs {
    /// Where to write the files.
    #[arg(value_name = "DIR", default_value = ".")]
    pub(crate) dir: PathBuf,
    /// The kind of the objects.
    #[arg(long, value_name = "KIND", default_value = "Widget", value_parser = kind)]
    pub(crate) kind: String,
    /// Their plural; default: made from the kind.
    #[arg(long, value_name = "NAME", value_parser = label)]
    pub(crate) plural: Option<String>,
    /// Their API group.
    #[arg(long, value_name = "GROUP", default_value = "example.com", value_parser = group)]
    pub(crate) group: String,
    /// Their first version.
    #[arg(long, value_name = "VERSION", default_value = "v1", value_parser = label)]
    pub(crate) api_version: String,
    /// How the status is opened for Kopf.
    #[arg(long, value_enum, default_value_t = InitStyle::Narrow)]
    pub(crate) style: InitStyle,
    /// Writes a Rust crate with the kind as a type instead: `generate` makes its CRD.
    #[arg(long, conflicts_with_all = ["style", "stdout"])]
    pub(crate) rust: bool,
    /// Prints the CRD and writes nothing.
    #[arg(long)]
    pub(crate) stdout: bool,
    /// Overwrites files that are there.
    #[arg(long)]
    pub(crate) force: bool,
}

/// How a status is opened for Kopf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum InitStyle {
    /// Only `kopf`, beside typed properties.
    Narrow,
    /// The whole status.
    Open,
}

pub(crate) fn run(args: &InitArgs) -> Done {
    let plural = args.plural.clone().unwrap_or_else(|| starter::plural(&args.kind));
    let names = Names {
        kind: args.kind.clone(),
        plural,
        group: args.group.clone(),
        version: args.api_version.clone(),
    };
    let style = match args.style {
        InitStyle::Narrow => Style::Narrow,
        InitStyle::Open => Style::Open,
    };
    let files =
        if args.rust { starter::rust(&names).to_vec() } else { starter::files(&names, style).to_vec() };
    if args.stdout {
        output::print(&files[0].text)?;
        return Ok(Outcome::Clean);
    }
    // All or nothing: half of the files would be a riddle.
    if let Some(there) = files.iter().map(|it| args.dir.join(&it.name)).find(|it| !args.force && it.exists())
    {
        return Err(Failure::new(format_args!(
            "`{}` is there already (`--force` overwrites)",
            there.display()
        )));
    }
    fs::create_dir_all(&args.dir)
        .map_err(|error| Failure::new(format_args!("cannot create `{}`: {error}", args.dir.display())))?;
    for file in &files {
        let path = args.dir.join(&file.name);
        let parent = path.parent().unwrap_or(&args.dir);
        fs::create_dir_all(parent)
            .map_err(|error| Failure::new(format_args!("cannot create `{}`: {error}", parent.display())))?;
        fs::write(&path, &file.text)
            .map_err(|error| Failure::new(format_args!("cannot write `{}`: {error}", path.display())))?;
        output::note(format_args!("wrote {}", path.display()));
    }
    output::note(match args.rust {
        true => "next: `cargo test`, and `cargo kopf-crd generate --out crds`",
        false => "next: `cargo kopf-crd check`, and import the settings where the handlers are",
    });
    Ok(Outcome::Clean)
}

/// A name that the API server takes for a plural or a version: a DNS label.
fn label(text: &str) -> Result<String, String> {
    let inner = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-';
    let good = text.starts_with(|it: char| it.is_ascii_lowercase())
        && text.chars().all(inner)
        && !text.ends_with('-')
        && text.len() <= 63;
    if good { Ok(text.to_owned()) } else { Err("expected lower-case letters, digits and dashes".to_owned()) }
}

fn kind(text: &str) -> Result<String, String> {
    label(&text.to_lowercase()).map(|_| text.to_owned()).map_err(|_| "expected letters and digits".to_owned())
}

fn group(text: &str) -> Result<String, String> {
    let good =
        text.contains('.') && text.split('.').all(|it| !it.is_empty() && label(&format!("a{it}")).is_ok());
    if good {
        Ok(text.to_owned())
    } else {
        Err("expected a domain with a dot, such as `example.com`".to_owned())
    }
}
