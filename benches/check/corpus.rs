//! A corpus of CRDs like real ones in size and shape, the same in every run.

use std::fmt::Write;

/// How many CRDs make the corpus: together a little over 50 MB.
pub(crate) const CRDS: u64 = 1_000;

/// How many properties a CRD has.
const PROPERTIES: u64 = 260;

const WORDS: &[&str] = &[
    "the",
    "name",
    "of",
    "a",
    "resource",
    "that",
    "is",
    "used",
    "by",
    "controller",
    "when",
    "it",
    "reconciles",
    "this",
    "field",
    "must",
    "be",
    "set",
    "before",
    "policy",
    "applies",
    "to",
    "each",
    "namespace",
    "in",
    "cluster",
];

/// SplitMix64: enough randomness for text, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % below
    }
}

/// The text of CRD `number`.
pub(crate) fn crd(number: u64) -> String {
    let mut random = Random(number);
    let mut out = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: things{number}.example.com\n\
         spec:\n  group: example.com\n  names:\n    kind: Thing{number}\n    listKind: Thing{number}List\n    plural: things{number}\n    \
         singular: thing{number}\n  scope: Namespaced\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    \
         subresources:\n      status: {{}}\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n"
    );
    for section in ["spec", "status"] {
        let _ = writeln!(out, "          {section}:\n            type: object\n            properties:");
        if section == "status" && random.next(2) == 0 {
            out.push_str("              kopf:\n                type: object\n                x-kubernetes-preserve-unknown-fields: true\n");
        }
        for at in 0..PROPERTIES / 2 {
            property(&mut out, &mut random, at, 14, 3);
        }
    }
    out
}

fn property(out: &mut String, random: &mut Random, at: u64, indent: usize, depth: u64) {
    let pad = " ".repeat(indent);
    let _ = writeln!(out, "{pad}field{at}:\n{pad}  description: |-");
    for _ in 0..1 + random.next(4) {
        let words: Vec<_> =
            (0..8 + random.next(8)).map(|_| WORDS[random.next(WORDS.len() as u64) as usize]).collect();
        let _ = writeln!(out, "{pad}    {}", words.join(" "));
    }
    match random.next(if depth == 0 { 3 } else { 5 }) {
        0 => drop(writeln!(out, "{pad}  type: integer\n{pad}  format: int32\n{pad}  minimum: 0")),
        1 => drop(writeln!(out, "{pad}  type: string\n{pad}  enum: [on-failure, \"never\", 'always']")),
        2 => drop(writeln!(out, "{pad}  type: string\n{pad}  pattern: ^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")),
        3 => {
            let _ = writeln!(
                out,
                "{pad}  type: array\n{pad}  items:\n{pad}    type: object\n{pad}    properties:"
            );
            property(out, random, at, indent + 6, depth - 1);
        }
        _ => {
            let _ = writeln!(out, "{pad}  type: object\n{pad}  required: [field0]\n{pad}  properties:");
            for inner in 0..2 {
                property(out, random, inner, indent + 4, depth - 1);
            }
        }
    }
}
