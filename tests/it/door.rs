//! The way into the library that tests take: a text and flags in, a report out.

use kopf_crd::check::{self, Contracts, Kubernetes, Level, Options, Report};
use kopf_crd::kopf::ContractConfig;
use kopf_crd::render::{self, Format, Run};
use kopf_crd::source::Source;
use serde_json::{Map, Value};

/// Options as the command line has them. Words are split at spaces.
pub(crate) fn options(flags: &str) -> Options {
    let mut options = Options { named: true, ..Options::default() };
    let mut config = Map::new();
    let mut words = flags.split_whitespace();
    while let Some(word) = words.next() {
        let key = word.strip_prefix("--").unwrap_or_else(|| panic!("{flags}: `{word}` is no flag"));
        let value = words.next().unwrap_or_else(|| panic!("{flags}: `{word}` needs a value")).to_owned();
        match key {
            "result" | "writes" => {
                let list = config.entry(key).or_insert_with(|| Value::Array(Vec::new()));
                list.as_array_mut().expect("a list").push(value.into());
            }
            "kubernetes" => options.kubernetes = Kubernetes(value.parse().expect("a minor version")),
            "allow" => options.levels.state(&value, Level::Allow).expect("a known rule"),
            "warn" => options.levels.state(&value, Level::Warn).expect("a known rule"),
            "deny" => options.levels.state(&value, Level::Deny).expect("a known rule"),
            "only" => options.scope.only.push(value),
            "skip" => options.scope.skip.push(value),
            _ => _ = config.insert(key.to_owned(), value.into()),
        }
    }
    let config: ContractConfig = serde_json::from_value(Value::Object(config)).expect("known flags");
    options.contracts = Contracts::new(&config).expect("flags that make sense together");
    options
}

/// Judges a text.
#[track_caller]
pub(crate) fn check(name: &str, text: &str, flags: &str) -> (Source, Report) {
    let source = Source::new(name, text);
    let report = check::check(&source, &options(flags));
    (source, report)
}

/// The names of the rules that speak, in the order of the report.
pub(crate) fn rules(report: &Report) -> Vec<&'static str> {
    report.diagnostics.iter().map(|it| it.rule).collect()
}

/// A report in a format, without the line on what was assumed.
pub(crate) fn shown(format: Format, source: &Source, report: &Report, flags: &str) -> String {
    let mut summary = check::Summary::default();
    summary.add(report);
    let options = options(flags);
    let run = Run { summary, contract: options.contracts.general(), stated: !flags.is_empty() };
    render::whole(format, &[render::piece(format, source, report)], &run)
}

/// The text without escape sequences.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut parts = text.split('\u{1b}');
    plain += parts.next().unwrap_or_default();
    for part in parts {
        plain += part.split_once('m').map_or("", |it| it.1);
    }
    plain
}

/// A whole CRD around a fragment: `spec:` of a CRD, or properties of its schema such as `status:`.
pub(crate) fn whole_crd(fragment: &str) -> String {
    let head = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n";
    if fragment.starts_with("apiVersion:") {
        return fragment.to_owned();
    }
    let head = format!("{head}metadata:\n  name: widgets.example.com\n");
    if fragment.starts_with("spec:\n  group:") {
        return format!("{head}{fragment}");
    }
    let properties: String = fragment.lines().map(|line| format!("            {line}\n")).collect();
    format!(
        "{head}spec:
  group: example.com
  scope: Namespaced
  names: {{kind: Widget, plural: widgets}}
  versions:
    - name: v1
      served: true
      storage: true
      subresources:
        status: {{}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
{properties}"
    )
}
