//! What the functions of CEL and of the server's libraries cost at worst.
//!
//! Mirrors `EstimateCallCost` of `pkg/cel/library/cost.go` of k8s.io/apiserver and `functionCost` of `checker/cost.go`
//! of github.com/google/cel-go.

use crate::server::cel::cost::Arg;
use crate::server::cel::cost::REGEX;
use crate::server::cel::cost::Range;
use crate::server::cel::cost::STRING;
use crate::server::cel::cost::Sizes;
use crate::server::cel::cost::size_or_unknown;
use crate::server::cel::syntax::Kind;
use crate::server::cel::syntax::Literal;
use crate::server::cel::types::Type;

type Estimate = (Range, Option<Range>);

/// Whether an overload has an estimator of its own that is not modeled.
pub(super) fn is_unmodeled(overload: &str) -> bool {
    const NAMES: [&str; 6] =
        ["list_slice", "list_flatten", "list_flatten_int", "lists_range", "list_reverse", "list_distinct"];
    NAMES.contains(&overload) || overload.ends_with("_sort")
}

/// Accessors and comparisons of constant cost.
const NOMINAL: [&str; 27] = [
    "masked",
    "prefixLength",
    "family",
    "isUnspecified",
    "isLoopback",
    "isLinkLocalMulticast",
    "isLinkLocalUnicast",
    "isGlobalUnicast",
    "format.named",
    "sign",
    "asInteger",
    "isInteger",
    "asApproximateFloat",
    "isGreaterThan",
    "isLessThan",
    "compareTo",
    "add",
    "sub",
    "major",
    "minor",
    "patch",
    "getScheme",
    "getHostname",
    "getHost",
    "getPort",
    "getEscapedPath",
    "getQuery",
];

/// The size of an argument, by the expression or else by the schema.
fn size_at_most(sizes: Sizes<'_>, arg: &Arg<'_, '_>) -> Range {
    arg.size.or_else(|| sizes.estimate(&arg.way)).unwrap_or(Range::UNKNOWN)
}

/// What the server's own estimator says of a call, without its arguments; nothing if it leaves it to CEL.
pub(super) fn library(
    sizes: Sizes<'_>,
    function: &str,
    overload: &str,
    target: Option<&Arg<'_, '_>>,
    args: &[Arg<'_, '_>],
) -> Option<Estimate> {
    let size = |it: &Arg<'_, '_>| size_at_most(sizes, it);
    let traversal = |it: &Arg<'_, '_>| size(it).scaled(STRING);
    let first = args.first();
    match function {
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => {
            let target = target?;
            let cost = match element(sizes, target) {
                Some((text, element)) => {
                    let extra = if text { element.scaled(STRING) } else { Range::of(0) };
                    size(target).times(Range::of(1).plus(extra))
                }
                None => traversal(target),
            };
            Some((cost, None))
        }
        "ip" if overload == "cidr_ip" => Some((Range::of(1), None)),
        "cidr" | "isIP" | "isCIDR" | "ip" | "quantity" | "isQuantity" | "semver" | "isSemver" => {
            Some((traversal(first?), None))
        }
        "ip.isCanonical" => Some((size(first?).scaled(2.0 * STRING), None)),
        "containsIP" | "containsCIDR" => {
            let bytes = Range { min: 4, max: 16 };
            let mut cost = bytes.plus(bytes).scaled(STRING);
            if function == "containsCIDR" {
                cost = cost.plus(bytes.scaled(STRING)).plus(Range::of(1));
            }
            if overload.ends_with("_string") {
                cost = cost.plus(traversal(first?));
            }
            Some((cost, None))
        }
        "validate" => Some((traversal(first?).scaled(128.0 * REGEX), None)),
        it if NOMINAL.contains(&it) => Some((Range::of(1), None)),
        "sets.contains" | "sets.intersects" | "sets.equivalent" if args.len() == 2 => {
            let factor = if function == "sets.equivalent" { 2.0 } else { 1.0 };
            Some((size(&args[0]).times(size(&args[1])).scaled(factor).plus(Range::of(1)), None))
        }
        "_==_" => equality(args),
        _ => text(sizes, function, target, args),
    }
}

/// Functions that make text or lists of text.
fn text(
    sizes: Sizes<'_>,
    function: &str,
    target: Option<&Arg<'_, '_>>,
    args: &[Arg<'_, '_>],
) -> Option<Estimate> {
    let size = |it: &Arg<'_, '_>| size_at_most(sizes, it);
    let first = args.first();
    match function {
        "url" if args.len() == 1 => Some((size(first?).scaled(STRING), Some(size(first?)))),
        "lowerAscii" | "upperAscii" | "substring" | "trim" => {
            Some((size(target?).scaled(STRING), Some(size(target?))))
        }
        "replace" if args.len() >= 2 => {
            let (size, from, to) = (size(target?), size(&args[0]), size(&args[1]));
            Some((size.scaled(2.0 * STRING), Some(replaced(size, from, to))))
        }
        "split" => {
            let size = size(target?);
            let max = match args.get(1).map(|it| &it.expr.kind) {
                Some(Kind::Literal(Literal::Int(limit))) => *limit as u64,
                _ => size.max,
            };
            Some((size.scaled(2.0 * STRING), Some(Range { min: 0, max })))
        }
        "join" => {
            let list = size(target?);
            let mut res = element(sizes, target?).map_or(Range::of(0), |it| list.times(it.1));
            if let Some(separator) = first {
                let gaps = Range { min: list.min.saturating_sub(1), max: list.max.saturating_sub(1) };
                res = res.plus(size(separator).times(gaps));
            }
            Some((res.scaled(STRING), Some(res)))
        }
        "find" | "findAll" => {
            let text = size(target?);
            let cost = text.plus(Range::of(1)).scaled(STRING).times(size(first?).scaled(REGEX));
            Some((cost, Some(Range { min: 0, max: text.max })))
        }
        _ => None,
    }
}

/// Whether the elements of a list are text, and how long they can be; nothing for what is no list.
fn element(sizes: Sizes<'_>, list: &Arg<'_, '_>) -> Option<(bool, Range)> {
    let of = match &list.ty {
        Type::List(of) | Type::Optional(of) | Type::Map(of, _) => of,
        _ => return None,
    };
    // The way is copied here by the server, not appended to.
    let size = if list.way.is_empty() { None } else { sizes.estimate(&list.way.copied("@items")) };
    Some((matches!(**of, Type::String | Type::Bytes), size.unwrap_or(Range::UNKNOWN)))
}

fn replaced(size: Range, from: Range, to: Range) -> Range {
    let divided = |total: u64, by: u64| (total as f64 / by as f64).ceil() as u64;
    let (mut count, mut kept) = (Range::of(0), Range::of(0));
    if from.min == 0 {
        count.max = size.max.saturating_add(1);
        kept.max = size.max;
    } else if to.max <= from.min {
        kept.max = size.max;
    } else {
        count.max = divided(size.max, from.min);
    }
    if from.max == 0 {
        count.min = size.min.saturating_add(1);
        kept.min = size.min;
    } else if from.max <= to.min {
        kept.min = size.min;
    } else {
        count.min = divided(size.min, from.max);
    }
    count.times(to).plus(kept)
}

/// Equality of values of the server's own types.
fn equality(args: &[Arg<'_, '_>]) -> Option<Estimate> {
    let [Arg { ty: Type::Library(one), .. }, Arg { ty: Type::Library(two), size, .. }] = args else {
        return None;
    };
    if one != two {
        return None;
    }
    let cost = match *one {
        "kubernetes.NamedFormat" => Range { min: 1, max: 64 }.scaled(STRING),
        "kubernetes.URL" => Range { min: 1, max: size.map_or(1, |it| it.max) }.scaled(STRING),
        _ => Range::of(1),
    };
    Some((cost, None))
}

/// What CEL itself says of an overload, without its arguments.
pub(super) fn standard(overload: &str, target: Option<&Arg<'_, '_>>, args: &[Arg<'_, '_>]) -> Estimate {
    let traversal = |it: &Arg<'_, '_>| size_or_unknown(it).scaled(STRING);
    let comparison = ["less_", "less_equals_", "greater_", "greater_equals_"];
    let compares_text = comparison.iter().any(|it| {
        overload.strip_prefix(it).is_some_and(|operands| operands == "string" || operands == "bytes")
    });
    match (overload, target, args) {
        ("string_format", Some(target), _) => (traversal(target), None),
        ("string_to_bytes", _, [arg]) => {
            let size = size_or_unknown(arg);
            (traversal(arg), Some(Range { min: size.min, max: size.max.wrapping_mul(4) }))
        }
        ("bytes_to_string", _, [arg]) => {
            let size = size_or_unknown(arg);
            (traversal(arg), Some(Range { min: size.min / 4, max: size.max }))
        }
        ("strings_quote", _, [arg]) => {
            let size = size_or_unknown(arg);
            let max = size.max.wrapping_mul(2).wrapping_add(2);
            (traversal(arg), Some(Range { min: size.min.wrapping_add(2), max }))
        }
        ("starts_with_string" | "ends_with_string", _, [arg]) => (traversal(arg), None),
        ("in_list", _, [_, list]) => (size_or_unknown(list).scaled(1.0), None),
        ("matches_string", Some(text), [pattern]) | ("matches", None, [text, pattern]) => {
            let text = size_or_unknown(text).plus(Range::of(1)).scaled(STRING);
            (text.times(size_or_unknown(pattern).scaled(REGEX)), None)
        }
        ("contains_string", Some(target), [arg]) => (traversal(target).times(traversal(arg)), None),
        (it, _, [one, two]) if compares_text || it == "equals" || it == "not_equals" => {
            let max = size_or_unknown(one).max.min(size_or_unknown(two).max);
            (Range { min: u64::from(max > 0), max }.scaled(STRING), None)
        }
        _ => (Range::of(1), None),
    }
}
