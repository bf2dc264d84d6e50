//! `init`: writes the first files of an operator.

use crate::args::InitArgs;
use crate::args::InitStyle;
use crate::output;
use crate::output::Done;
use crate::output::Failure;
use crate::output::Outcome;
use kopf_crd::starter;
use kopf_crd::starter::Names;
use kopf_crd::starter::Style;
use std::fs;

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
