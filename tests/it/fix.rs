//! Mending texts: traps of YAML, what stays, and what holds of every mended text.

use std::path::PathBuf;

use kopf_crd::check::{Contracts, Options, check};
use kopf_crd::diagnostic::Safety;
use kopf_crd::fix::{Fixed, fix};
use kopf_crd::kopf::ContractConfig;
use kopf_crd::rules::mend::Width;
use kopf_crd::source::Source;
use kopf_crd::yaml;
use serde_json::Value as Json;

/// The contract: state in the status, and no results.
pub(crate) fn options() -> Options {
    let config =
        ContractConfig { results: Some(kopf_crd::kopf::OtherResults::None), ..ContractConfig::default() };
    Options {
        contracts: Contracts::new(&config).expect("a sound contract"),
        named: true,
        ..Options::default()
    }
}

fn mended(text: &str, options: &Options, safety: Safety) -> Fixed {
    fix(&Source::new("x.yaml", text), options, safety)
}

/// A CRD around the lines of `properties` of its root, which are written at column 10.
pub(crate) fn crd(properties: &str) -> String {
    let head = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: xs.example.com\nspec:\n  group: example.com\n  scope: Namespaced\n  names: {kind: X, plural: xs}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    subresources: {status: {}}\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n";
    format!("{head}{properties}")
}

const KOPF: &str = "kopf: {type: object, x-kubernetes-preserve-unknown-fields: true}";

/// What is added to a text, with what stands right before it.
#[track_caller]
fn added(before: &str, expected: &str) {
    let fixed = mended(before, &options(), Safety::Safe);
    assert_ne!(fixed.text, before, "nothing was mended:\n{before}\n{:#?}", fixed.report.diagnostics);
    assert_eq!(fixed.text, expected, "\n{}", fixed.text);
    let kept = fixed.report.crds.iter().flat_map(|it| &it.judgement.versions).flat_map(|it| &it.verdicts);
    for verdict in kept {
        assert_eq!(verdict.fate.name(), "kept", "{}\n{}", verdict.path, fixed.text);
    }
    assert_eq!(mended(&fixed.text, &options(), Safety::Safe).text, fixed.text, "not idempotent");
}

#[test]
fn traps_of_yaml() {
    let block = |pad: &str| {
        format!("{pad}kopf:\n{pad}  type: object\n{pad}  x-kubernetes-preserve-unknown-fields: true\n")
    };
    let at12 = block("            ");
    let cases: &[(&str, &str, String)] = &[
        (
            "a comment after the last key",
            "          status: # s\n            type: object\n            properties:\n              phase: # p\n                type: string # t\n                # of phase\n            # of status\n",
            "          status: # s\n            type: object\n            properties:\n              phase: # p\n                type: string # t\n                # of phase\n@              kopf:\n                type: object\n                x-kubernetes-preserve-unknown-fields: true\n@            # of status\n".into(),
        ),
        (
            "a comment between keys",
            "          status:\n            # the type\n            type: object\n            # the rest\n            properties:\n              # b\n              zebra: {type: string}\n              # a\n              phase: {type: string}\n",
            format!("          status:\n            # the type\n            type: object\n            # the rest\n            properties:\n              # b\n              zebra: {{type: string}}\n              # a\n              phase: {{type: string}}\n@              {KOPF}\n@"),
        ),
        (
            "sorted keys, the first with its comment",
            "          status:\n            type: object\n            properties:\n              # of phase\n              phase: {type: string}\n              reason: {type: string}\n",
            format!("          status:\n            type: object\n            properties:\n@              {KOPF}\n@              # of phase\n              phase: {{type: string}}\n              reason: {{type: string}}\n"),
        ),
        (
            "a place among sorted keys",
            "          status:\n            properties:\n              a:\n                type: string\n\n              # of z\n              z:\n                type: string\n            type: object\n",
            "          status:\n            properties:\n              a:\n                type: string\n@              kopf:\n                type: object\n                x-kubernetes-preserve-unknown-fields: true\n@\n              # of z\n              z:\n                type: string\n            type: object\n".into(),
        ),
        (
            "an empty mapping in braces",
            "          status: {}\n",
            format!("          status: {{@type: object, properties: {{{KOPF}}}@}}\n"),
        ),
        (
            "empty properties",
            "          status:\n            type: object\n            properties: {}\n",
            format!("          status:\n            type: object\n            properties: {{@{KOPF}@}}\n"),
        ),
        (
            "properties that are not written",
            "          status:\n            type: object\n            properties: # none\n",
            "          status:\n            type: object\n            properties: # none\n@              kopf:\n                type: object\n                x-kubernetes-preserve-unknown-fields: true\n@".into(),
        ),
        (
            "a status that is not written",
            "          status:\n",
            "          status:\n@            type: object\n            properties:\n              kopf:\n                type: object\n                x-kubernetes-preserve-unknown-fields: true\n@".into(),
        ),
        (
            "tabs after colons",
            "          status:\t# s\n            type:\tobject\n            properties:\n              phase:\t{type:\tstring}\n",
            format!("          status:\t# s\n            type:\tobject\n            properties:\n              phase:\t{{type:\tstring}}\n@              {KOPF}\n@"),
        ),
        (
            "braces on one line",
            "          status: {type: object, properties: {phase: {type: string}}}\n",
            format!("          status: {{type: object, properties: {{phase: {{type: string}}@, {KOPF}@}}}}\n"),
        ),
        (
            "a comma at the end of braces",
            "          status: { type: object, properties: { phase: { type: string }, } }\n",
            format!("          status: {{ type: object, properties: {{ phase: {{ type: string }}@, {KOPF}@, }} }}\n"),
        ),
        (
            "a list at the end, indented or not",
            "          status:\n            type: object\n            properties:\n              list:\n                type: array\n                items: {type: string}\n                x-kubernetes-list-type: set\n                enum:\n                - [a]\n                -   - b\n",
            "          status:\n            type: object\n            properties:\n              list:\n                type: array\n                items: {type: string}\n                x-kubernetes-list-type: set\n                enum:\n                - [a]\n                -   - b\n@              kopf:\n                type: object\n                x-kubernetes-preserve-unknown-fields: true\n@".into(),
        ),
        (
            "a block scalar before the place",
            "          status:\n            type: object\n            properties:\n              phase:\n                type: string\n                description: |\n                  text\n\n                  # no comment\n\n\n",
            "          status:\n            type: object\n            properties:\n              phase:\n                type: string\n                description: |\n                  text\n\n                  # no comment\n@              kopf:\n                type: object\n                x-kubernetes-preserve-unknown-fields: true\n@\n\n".into(),
        ),
        (
            "a block scalar that keeps its end",
            "          status:\n            type: object\n            properties:\n              phase:\n                type: string\n                description: |+\n                  text\n\n\n",
            "          status:\n            type: object\n            properties:\n              phase:\n                type: string\n                description: |+\n                  text\n\n\n@              kopf:\n                type: object\n                x-kubernetes-preserve-unknown-fields: true\n@".into(),
        ),
        (
            "text over several lines",
            "          status:\n            type: object\n            properties:\n              phase:\n                type: string\n                description: long text\n                  that goes on\n              q:\n                type: string\n                description: \"long text\n                  that goes on\" # c\n",
            "          status:\n            type: object\n            properties:\n@              kopf:\n                type: object\n                x-kubernetes-preserve-unknown-fields: true\n@              phase:\n                type: string\n                description: long text\n                  that goes on\n              q:\n                type: string\n                description: \"long text\n                  that goes on\" # c\n".into(),
        ),
        (
            "the end of a document",
            "          status:\n            type: object\n...\n---\n# the next\n",
            "          status:\n            type: object\n@            properties:\n              kopf:\n                type: object\n                x-kubernetes-preserve-unknown-fields: true\n@...\n---\n# the next\n".into(),
        ),
        (
            "no line break at the end",
            "          status:\n            type: object",
            "          status:\n            type: object@\n            properties:\n              kopf:\n                type: object\n                x-kubernetes-preserve-unknown-fields: true@".into(),
        ),
        (
            "keys in quotes",
            "          \"status\":\n            \"type\": \"object\"\n            \"properties\":\n              \"phase\":\n                \"type\": \"string\"\n",
            "          \"status\":\n            \"type\": \"object\"\n            \"properties\":\n              \"phase\":\n                \"type\": \"string\"\n@              \"kopf\":\n                \"type\": \"object\"\n                \"x-kubernetes-preserve-unknown-fields\": true\n@".into(),
        ),
        (
            "wide indentation",
            "          status:\n              type: object\n              properties:\n                  phase:\n                      type: string\n",
            "          status:\n              type: object\n              properties:\n                  phase:\n                      type: string\n@                  kopf:\n                      type: object\n                      x-kubernetes-preserve-unknown-fields: true\n@".into(),
        ),
        (
            "nothing is declared",
            "          spec:\n            type: object\n            x-kubernetes-preserve-unknown-fields: true\n",
            "          spec:\n            type: object\n            x-kubernetes-preserve-unknown-fields: true\n@          status:\n            type: object\n            properties:\n              kopf:\n                type: object\n                x-kubernetes-preserve-unknown-fields: true\n@".into(),
        ),
        (
            "an open kopf that closes below",
            "          status:\n            type: object\n            properties:\n              kopf:\n                type: object\n                x-kubernetes-preserve-unknown-fields: true\n                properties:\n                  progress: {type: object}\n",
            "          status:\n            type: object\n            properties:\n              kopf:\n                type: object\n                x-kubernetes-preserve-unknown-fields: true\n                properties:\n                  progress: {type: object@, x-kubernetes-preserve-unknown-fields: true@}\n".into(),
        ),
        ("a kopf without anything", "          status: {type: object, properties: {kopf: {}}}\n",
            "          status: {type: object, properties: {kopf: {@type: object, x-kubernetes-preserve-unknown-fields: true@}}}\n".into()),
    ];
    assert!(!at12.is_empty());
    for (about, before, expected) in cases {
        println!("{about}");
        assert_eq!(&crd(before), &crd(&without(expected)), "the row itself: {about}");
        added(&crd(before), &crd(&expected.replace('@', "")));
        // The same with the line ends of Windows, and behind a byte order mark.
        let windows = |text: &str| format!("\u{feff}{}", crd(text).replace('\n', "\r\n"));
        added(&windows(before), &windows(&expected.replace('@', "")));
    }
}

/// A row's expectation without what is added: the parts between `@`.
fn without(expected: &str) -> String {
    expected.split('@').step_by(2).collect()
}

#[test]
fn json_stays_json() {
    let pretty = serde_json::to_string_pretty(
        &yaml::parse(&crd("          status: {type: object, properties: {phase: {type: string}}}\n"))
            .documents[0]
            .root
            .to_json(),
    )
    .unwrap();
    let fixed = mended(&pretty, &options(), Safety::Safe);
    let addition = ",\n                  \"kopf\": {\n                    \"type\": \"object\",\n                    \"x-kubernetes-preserve-unknown-fields\": true\n                  }";
    assert!(fixed.text.contains(addition), "{}", fixed.text);
    assert_eq!(
        fixed.text.replace(addition, "").replace("\"properties\": {,", "\"properties\": {"),
        pretty.replace(addition, "")
    );
    assert!(serde_json::from_str::<Json>(&fixed.text).is_ok());
    let compact = serde_json::from_str::<Json>(&pretty).unwrap().to_string();
    let fixed = mended(&compact, &options(), Safety::Safe);
    assert!(
        fixed.text.contains(",\"kopf\":{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}"),
        "{}",
        fixed.text
    );
}

#[test]
fn what_cannot_be_edited_well_is_left_with_the_reason() {
    let cases = [
        (
            "an anchor shared by two places",
            crd(
                "          spec: &open\n            type: object\n            properties: {a: {type: string}}\n          status: *open\n",
            ),
            "alias",
        ),
        (
            "a merge key",
            crd(
                "          spec: &open\n            type: object\n            properties: {a: {type: string}}\n          status:\n            <<: *open\n",
            ),
            "merge key",
        ),
        (
            "braces over several lines",
            crd(
                "          status: {type: object,\n            properties: {a: {type: string},\n              b: {type: string}}}\n",
            ),
            "flow mapping",
        ),
        (
            "a null that is written",
            crd("          status:\n            type: object\n            properties: ~\n"),
            "null",
        ),
        (
            "a template",
            crd("          status: {type: object}\n")
                .replace("group: example.com", "group: '{{ x }}'\n  conversion: {strategy: {{ y }}}"),
            "template",
        ),
        (
            "a value of another line",
            crd(
                "          status:\n            type: object\n            ? properties\n            : a: {type: string}\n",
            ),
            "plain way",
        ),
    ];
    for (about, text, reason) in cases {
        let fixed = mended(&text, &options(), Safety::Safe);
        assert_eq!(fixed.text, text, "{about}");
        let said: Vec<String> = fixed.report.diagnostics.iter().flat_map(|it| it.notes.clone()).collect();
        let told = said.iter().any(|it| it.contains(reason)) || about == "a template";
        assert!(told, "{about}: {said:?}\n{:?}", fixed.report.diagnostics);
    }
}

#[test]
fn an_open_status_is_had_for_asking() {
    let options = Options { width: Width::Open, ..options() };
    let fixed = mended(
        &crd(
            "          status:\n            type: object\n            properties: {phase: {type: string}}\n",
        ),
        &options,
        Safety::Safe,
    );
    assert!(
        fixed.text.ends_with(
            "properties: {phase: {type: string}}\n            x-kubernetes-preserve-unknown-fields: true\n"
        ),
        "{}",
        fixed.text
    );
    let fixed = mended(&crd("          spec: {type: object}\n"), &options, Safety::Safe);
    assert!(
        fixed
            .text
            .ends_with("          status: {type: object, x-kubernetes-preserve-unknown-fields: true}\n"),
        "{}",
        fixed.text
    );
}

#[test]
fn known_results_are_declared_with_their_types() {
    let config = ContractConfig {
        result: Some(vec![
            "create_fn=object".into(),
            "count=integer".into(),
            "resize/spec.size=string".into(),
        ]),
        ..ContractConfig::default()
    };
    let options = Options { contracts: Contracts::new(&config).expect("sound"), ..options() };
    let fixed = mended(&crd("          status:\n            type: object\n"), &options, Safety::Safe);
    let expected = "            properties:\n              kopf:\n                type: object\n                x-kubernetes-preserve-unknown-fields: true\n              create_fn:\n                type: object\n                x-kubernetes-preserve-unknown-fields: true\n              count:\n                type: integer\n              resize/spec.size:\n                type: string\n";
    assert!(fixed.text.ends_with(expected), "{}", fixed.text);
}

#[test]
fn what_somebody_wrote_goes_only_on_demand() {
    let cases = [
        (
            "          status:\n            type: object\n            x-kubernetes-preserve-unknown-fields: true\n            required: [phase]\n            properties: {phase: {type: string}}\n",
            "required",
        ),
        (
            "          status:\n            type: object\n            x-kubernetes-preserve-unknown-fields: true\n            required: [phase, kopf, reason]\n",
            "[phase, kopf",
        ),
        (
            "          status:\n            type: object\n            x-kubernetes-preserve-unknown-fields: true\n            required: [kopf, phase, reason]\n",
            ", phase",
        ),
        (
            "          status:\n            type: object\n            x-kubernetes-preserve-unknown-fields: true\n            required:\n            - phase\n            - kopf\n            - reason\n",
            "- phase",
        ),
        (
            "          status:\n            type: object\n            additionalProperties: true\n",
            "additionalProperties",
        ),
        (
            "          status: {type: object, additionalProperties: true, x-kubernetes-preserve-unknown-fields: true}\n",
            "additionalProperties",
        ),
        ("          status: {type: string, additionalProperties: true}\n", "additionalProperties"),
        (
            "          status:\n            type: object\n            maxProperties: 0\n            x-kubernetes-preserve-unknown-fields: true\n",
            "maxProperties",
        ),
        (
            "          status:\n            type: object\n            properties:\n              kopf:\n                type: string\n",
            "type: string",
        ),
    ];
    for (properties, gone) in cases {
        let text = crd(properties);
        let fixed = mended(&text, &options(), Safety::Safe);
        assert_eq!(fixed.text, text, "{gone}");
        let fixed = mended(&text, &options(), Safety::Unsafe);
        assert!(!fixed.text.contains(gone), "{gone}: {}", fixed.text);
        let verdicts =
            fixed.report.crds.iter().flat_map(|it| &it.judgement.versions).flat_map(|it| &it.verdicts);
        assert!(verdicts.into_iter().all(|it| it.fate.name() == "kept"), "{gone}: {}", fixed.text);
        let compact = yaml::parse(&text).documents[0].root.to_json();
        for text in [compact.to_string(), format!("{compact:#}")] {
            let fixed = mended(&text, &options(), Safety::Unsafe);
            assert_ne!(fixed.text, text, "{gone}");
            assert!(serde_json::from_str::<Json>(&fixed.text).is_ok(), "{gone}: {}", fixed.text);
        }
    }
}

#[test]
fn a_rule_that_refuses_goes_alone() {
    let status = "          status:\n            type: object\n            properties:\n              kopf: {type: object, x-kubernetes-preserve-unknown-fields: true}\n";
    let rules = |rules: &str| crd(&format!("{status}            x-kubernetes-validations:\n{rules}"));
    let stays = "            - rule: |-\n                true\n              message: stays\n";
    let goes = [
        "            - message: no kopf\n              rule: '!has(self.kopf)'\n",
        "            - message: no kopf\n              rule: |-\n                !has(self.kopf)\n",
        "            - message: no kopf\n              rule: |\n                !has(self.kopf)\n",
        "            - rule: '!has(self.kopf)'\n",
        "            - {rule: '!has(self.kopf)', messageExpression: \"'no kopf: ' + string(has(self.kopf))\"}\n",
    ];
    for (at, goes) in goes.iter().enumerate() {
        for text in [rules(&format!("{goes}{stays}")), rules(&format!("{stays}{goes}"))] {
            assert_eq!(mended(&text, &options(), Safety::Safe).text, text);
            let fixed = mended(&text, &options(), Safety::Unsafe);
            // What the server calls a rule by may be made at run time: then nobody knows which one it is.
            let expected = if at == 4 { text } else { rules(stays) };
            assert_eq!(fixed.text, expected, "{goes}\n{:?}", fixed.report.diagnostics);
        }
        let fixed = mended(&rules(goes), &options(), Safety::Unsafe);
        assert_eq!(fixed.text, if at == 4 { rules(goes) } else { crd(status) });
    }
}

/// A CRD that is refused for another reason is mended to the end all the same.
#[test]
fn nothing_is_offered_twice() {
    let refused =
        |status: &str| crd(&format!("          spec: {{type: array}}\n          status: {status}\n"));
    let cases = [
        "{type: string, additionalProperties: true}",
        "{additionalProperties: true, x-kubernetes-preserve-unknown-fields: true}",
        "{type: array, items: {type: string}, additionalProperties: true}",
    ];
    for status in cases {
        holds(status, &refused(status), &options());
    }
}

#[test]
fn words_in_the_wrong_place_are_moved_on_demand() {
    let status = |inner: &str| crd(&format!("          status:\n{inner}"));
    let open = "            x-kubernetes-preserve-unknown-fields: true\n";
    let cases = [
        (
            "among the properties",
            status("            type: object\n            properties:\n              x-kubernetes-preserve-unknown-fields: true\n"),
            status(&format!("            type: object\n{open}")),
        ),
        (
            "in the version",
            crd("          spec: {type: object}\n").replace("    served:", "    x-kubernetes-preserve-unknown-fields: true\n    served:"),
            crd("          spec: {type: object}\n        x-kubernetes-preserve-unknown-fields: true\n"),
        ),
        (
            "subresources at the top",
            crd("          status:\n            type: object\n            x-kubernetes-preserve-unknown-fields: true\n")
                .replace("    subresources: {status: {}}\n", "")
                .replace("  versions:", "  subresources: # none\n    status: {}\n  versions:"),
            crd("          status:\n            type: object\n            x-kubernetes-preserve-unknown-fields: true\n")
                .replace("    subresources: {status: {}}\n", "")
                + "    subresources: # none\n      status: {}\n",
        ),
        (
            "columns at the top",
            crd("          status: {type: object, x-kubernetes-preserve-unknown-fields: true}\n").replace(
                "  versions:",
                "  additionalPrinterColumns:\n  - name: JSONPath\n    JSONPath: .spec.a # JSONPath\n    type: string\n  versions:",
            ),
            crd("          status: {type: object, x-kubernetes-preserve-unknown-fields: true}\n")
                + "    additionalPrinterColumns:\n    - name: JSONPath\n      jsonPath: .spec.a # JSONPath\n      type: string\n",
        ),
        (
            "a version that is also listed",
            crd("          status: {type: object, x-kubernetes-preserve-unknown-fields: true}\n").replace("  versions:", "  version: v1 # it\n  versions:"),
            crd("          status: {type: object, x-kubernetes-preserve-unknown-fields: true}\n"),
        ),
        (
            "two equal keys",
            status("            type: object\n            type: object\n            x-kubernetes-preserve-unknown-fields: true\n"),
            status("            type: object\n            x-kubernetes-preserve-unknown-fields: true\n"),
        ),
        (
            "a misspelt extension",
            status("            type: object\n            x-kubernetes-preserve-unknwon-fields: true\n"),
            status("            type: object\n            x-kubernetes-preserve-unknown-fields: true\n"),
        ),
    ];
    for (about, before, after) in cases {
        let fixed = mended(&before, &options(), Safety::Unsafe);
        assert_eq!(fixed.text, after, "{about}\n{}\n{:?}", fixed.text, fixed.report.diagnostics);
    }
    let schema = "    openAPIV3Schema:\n      type: object\n      properties:\n        status:\n          type: object # s\n          x-kubernetes-preserve-unknown-fields: true\n";
    let head = crd("");
    let head = &head[..head.find("    schema:").expect("a schema")];
    let before = head.replace("  versions:", &format!("  validation:\n{schema}  versions:"));
    let fixed = mended(&before, &options(), Safety::Unsafe);
    let deeper: String = schema.lines().map(|it| format!("  {it}\n")).collect();
    assert_eq!(fixed.text, format!("{head}    schema:\n{deeper}"), "{:?}", fixed.report.diagnostics);
}

#[test]
fn a_misspelt_extension_only_gains_letters() {
    let text =
        crd("          status:\n            type: object\n            x-preserve-unknown-fields: true\n");
    let fixed = mended(&text, &options(), Safety::Safe);
    assert_eq!(fixed.text, text.replace("x-preserve", "x-kubernetes-preserve"));
    // What was never refused is refused only on demand.
    let text = crd(
        "          status: {type: object, x-kubernetes-preserve-unknown-fields: true, require: [kopf]}\n",
    );
    assert_eq!(mended(&text, &options(), Safety::Safe).text, text);
    let fixed = mended(&text, &options(), Safety::Unsafe);
    assert_eq!(fixed.text, text.replace("require", "required"));
}

/// What holds of every text that was mended.
#[track_caller]
pub(crate) fn holds(name: &str, text: &str, options: &Options) -> bool {
    let source = Source::new(name, text);
    let safe = fix(&source, options, Safety::Safe);
    let offered = |it: &Fixed, safety: Safety| {
        let left = |name: &Option<String>| it.left.contains(name.as_ref().unwrap_or(&String::new()));
        let mut fixes =
            it.report.diagnostics.iter().filter(|it| !left(&it.crd)).filter_map(|it| it.fix.as_ref());
        fixes.any(|it| it.safety <= safety)
    };
    assert!(!offered(&safe, Safety::Safe), "{name}: a fix is still offered\n{}", safe.text);
    assert!(is_inserted(text, &safe.text), "{name}: bytes are gone\n{}", safe.text);
    let again = fix(&Source::new(name, safe.text.as_str()), options, Safety::Safe);
    assert_eq!(again.text, safe.text, "{name}: fixed twice is not fixed once");
    let (old, new) = (yaml::parse(text), yaml::parse(&safe.text));
    assert_eq!(old.documents.len(), new.documents.len(), "{name}");
    for (old, new) in old.documents.iter().zip(&new.documents) {
        assert_eq!(old.json, new.json, "{name}: JSON and YAML are not the same\n{}", safe.text);
        let all = contains(&new.root.to_json(), &old.root.to_json());
        assert!(all, "{name}: a value has changed\n{}", safe.text);
    }
    let after = check(&Source::new(name, safe.text.as_str()), options);
    assert_eq!(after.diagnostics, safe.report.diagnostics, "{name}: the report is not that of the text");
    let hard = fix(&source, options, Safety::Unsafe);
    assert!(
        !offered(&hard, Safety::Unsafe),
        "{name}: an unsafe fix is still offered\n{}\n{:?}",
        hard.text,
        hard.report.diagnostics
    );
    let again = fix(&Source::new(name, hard.text.as_str()), options, Safety::Unsafe);
    assert_eq!(again.text, hard.text, "{name}: fixed twice is not fixed once (unsafe)");
    let new = yaml::parse(&hard.text);
    assert_eq!(old.documents.len(), new.documents.len(), "{name}");
    for (old, new) in old.documents.iter().zip(&new.documents) {
        assert_eq!(old.json, new.json, "{name}: JSON and YAML are not the same\n{}", hard.text);
        let (old, new) = (frame(old.root.to_json()), frame(new.root.to_json()));
        assert!(
            contains(&new, &old),
            "{name}: more than schemas has changed
{}",
            hard.text
        );
    }
    safe.text != text
}

/// What even an unsafe fix leaves alone: all that the server knows but the schemas and what moves into versions.
fn frame(mut document: Json) -> Json {
    let keep = |it: Option<&mut Json>, known: &[&str]| {
        if let Some(Json::Object(map)) = it {
            map.retain(|key, _| known.contains(&key.as_str()));
        }
    };
    for item in document.get_mut("items").and_then(Json::as_array_mut).into_iter().flatten() {
        *item = frame(item.take());
    }
    keep(Some(&mut document), &["apiVersion", "kind", "metadata", "spec", "items"]);
    keep(document.get_mut("metadata"), &["name", "labels", "annotations"]);
    keep(document.get_mut("spec"), &["group", "scope", "names", "versions", "conversion"]);
    let names = ["plural", "singular", "kind", "listKind", "shortNames", "categories"];
    keep(document.pointer_mut("/spec/names"), &names);
    for version in document.pointer_mut("/spec/versions").and_then(Json::as_array_mut).into_iter().flatten() {
        keep(Some(version), &["name", "served", "storage", "deprecated"]);
    }
    document
}

/// Whether the old text is all there, in order.
fn is_inserted(old: &str, new: &str) -> bool {
    let mut rest = new.bytes();
    old.bytes().all(|byte| rest.any(|it| it == byte))
}

fn contains(new: &Json, old: &Json) -> bool {
    match (old, new) {
        (Json::Null, _) => true,
        (Json::Object(old), Json::Object(new)) => old.iter().all(|(key, old)| {
            // A word that was misspelt has gained letters.
            let respelt = || new.iter().any(|(other, new)| is_inserted(key, other) && contains(new, old));
            new.get(key).map_or_else(respelt, |new| contains(new, old))
        }),
        (Json::Array(old), Json::Array(new)) => {
            old.len() == new.len() && old.iter().zip(new).all(|(old, new)| contains(new, old))
        }
        (old, new) => old == new,
    }
}

fn files(dir: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(dir)) else {
        println!("skipped: {dir} is not here");
        return Vec::new();
    };
    let mut found: Vec<PathBuf> = entries.flatten().map(|it| it.path()).collect();
    found.retain(|it| it.extension().is_some_and(|it| it == "yaml" || it == "json"));
    found.sort();
    found
}

#[test]
fn every_case_and_every_real_file_stays_whole() {
    let (mut mended, mut seen) = (0, 0);
    let all = [files("../shared/cases"), files("../shared/corpus")].concat();
    let widths = [Width::Narrow, Width::Open];
    for (path, width) in all.iter().flat_map(|it| widths.map(|width| (it, width))) {
        let text = std::fs::read_to_string(path).expect("a text");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        mended += usize::from(holds(&name, &text, &Options { width, ..options() }));
        seen += 1;
    }
    println!("{mended} of {seen} were mended");
    assert!(seen == 0 || mended > 20, "{mended} of {seen}");
}
