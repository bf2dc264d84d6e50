//! Quantities of resources: `100m`, `1.5Gi`.
//!
//! Mirrors `pkg/api/resource` of k8s.io/apimachinery and `quantity.go` of the server's `pkg/cel/library`, for numbers of
//! everyday size; how the server rounds and caps others is not modeled.

use crate::server::cel::value::Result;
use crate::server::cel::value::Val;
use crate::server::cel::value::error;
use crate::server::cel::value::unknown;
use std::cmp::Ordering;

/// Calls a function on quantities; a target is the first argument.
pub(super) fn call<'v>(function: &str, args: &[Val<'v>]) -> Result<Val<'v>> {
    match (function, args) {
        ("isQuantity", [Val::String(text)]) => Ok(Val::Bool(read(text)?.is_some())),
        ("quantity", [Val::String(text)]) => match read(text)? {
            Some(nanos) => Ok(Val::Quantity(nanos)),
            None if text.contains(|it: char| !(it.is_ascii_digit() || "+-.eEinumkKMGTP".contains(it))) => {
                error(
                    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
                )
            }
            None => error("unable to parse quantity's suffix"),
        },
        ("isGreaterThan", [Val::Quantity(one), Val::Quantity(two)]) => Ok(Val::Bool(one > two)),
        ("isLessThan", [Val::Quantity(one), Val::Quantity(two)]) => Ok(Val::Bool(one < two)),
        ("compareTo", [Val::Quantity(one), Val::Quantity(two)]) => Ok(Val::Int(match one.cmp(two) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        })),
        ("sign", [Val::Quantity(it)]) => Ok(Val::Int(it.signum() as i64)),
        _ => unknown(format!("the function `{function}` is not modeled for such values")),
    }
}

/// Suffixes with the powers of ten and of two that they stand for.
const SUFFIXES: [(&str, i32, u32); 16] = [
    ("", 0, 0),
    ("n", -9, 0),
    ("u", -6, 0),
    ("m", -3, 0),
    ("k", 3, 0),
    ("M", 6, 0),
    ("G", 9, 0),
    ("T", 12, 0),
    ("P", 15, 0),
    ("E", 18, 0),
    ("Ki", 0, 10),
    ("Mi", 0, 20),
    ("Gi", 0, 30),
    ("Ti", 0, 40),
    ("Pi", 0, 50),
    ("Ei", 0, 60),
];

/// Reads a quantity, in billionths; `None` for what is none.
fn read(text: &str) -> Result<Option<i128>> {
    if text.is_empty() {
        return Ok(None);
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let digits = |it: &str| it.bytes().take_while(u8::is_ascii_digit).count();
    let (whole, rest) = unsigned.split_at(digits(unsigned));
    let (fraction, suffix) = match rest.strip_prefix('.') {
        Some(after) => after.split_at(digits(after)),
        None => ("", rest),
    };
    let Some((ten, two)) = powers(suffix) else { return Ok(None) };
    let odd = || unknown(format!("how the server reads the quantity {text:?} is not modeled"));
    let number = format!("{whole}{fraction}");
    let places = 9 - fraction.len() as i32 + ten;
    if number.is_empty()
        || number.len() > 15
        || !(0..=27).contains(&places)
        || (two > 0 && !fraction.is_empty())
    {
        return odd();
    }
    let Ok(number) = number.parse::<i128>() else { return odd() };
    let nanos = number.checked_mul(10_i128.pow(places as u32)).and_then(|it| it.checked_mul(1 << two));
    match nanos {
        Some(nanos) if nanos < i128::from(i64::MAX) * 1_000_000_000 => {
            Ok(Some(if text.starts_with('-') { -nanos } else { nanos }))
        }
        _ => odd(),
    }
}

fn powers(suffix: &str) -> Option<(i32, u32)> {
    if let Some((_, ten, two)) = SUFFIXES.iter().find(|it| it.0 == suffix) {
        return Some((*ten, *two));
    }
    let exponent = suffix.strip_prefix(['e', 'E'])?;
    let exponent = exponent.strip_prefix('+').unwrap_or(exponent);
    // An exponent beyond everything ends where places are counted.
    exponent.parse::<i64>().ok().map(|it| (it.clamp(-1000, 1000) as i32, 0))
}
