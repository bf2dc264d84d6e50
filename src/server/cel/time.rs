//! Points in time as Go reads and counts them.

use crate::time::date_of;
use crate::time::days;

/// The nanoseconds of a second.
pub(super) const SECOND: i64 = 1_000_000_000;

/// Reads a timestamp of RFC 3339 in its strict form, in nanoseconds since 1970. What else Go may take is not modeled.
pub(super) fn timestamp(text: &str) -> Option<i128> {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = text.get(from..to)?;
        if digits.bytes().all(|it| it.is_ascii_digit()) { digits.parse().ok() } else { None }
    };
    let punctuation = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if punctuation.iter().any(|(at, byte)| bytes.get(*at) != Some(byte)) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let days = days(year, month, day)?;
    let mut rest = &text[19..];
    let mut nanos = 0;
    if let Some(fraction) = rest.strip_prefix('.') {
        let length = fraction.bytes().take_while(u8::is_ascii_digit).count();
        if length == 0 || length > 9 {
            return None;
        }
        nanos = format!("{:0<9}", &fraction[..length]).parse::<i128>().ok()?;
        rest = &fraction[length..];
    }
    let offset = match rest.as_bytes() {
        b"Z" => 0,
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let at = text.len() - 6;
            let (hours, minutes) = (number(at + 1, at + 3)?, number(at + 4, at + 6)?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            (hours * 3600 + minutes * 60) * if *sign == b'+' { 1 } else { -1 }
        }
        _ => return None,
    };
    let seconds = days * 86400 + hour * 3600 + minute * 60 + second - offset;
    Some(i128::from(seconds) * i128::from(SECOND) + nanos)
}

/// Reads a date (`2006-01-02`), in nanoseconds since 1970.
pub(super) fn date(text: &str) -> Option<i128> {
    if text.len() == 10 { timestamp(&format!("{text}T00:00:00Z")) } else { None }
}

/// The year, month (from 0), day of the month (from 0), day of the year (from 0) and weekday (Sunday 0) of a timestamp.
pub(super) fn calendar(nanos: i128) -> [i64; 5] {
    let day = nanos.div_euclid(i128::from(SECOND) * 86_400) as i64;
    let (year, month, day_of_month) = date_of(day);
    let first = days(year, 1, 1).unwrap_or(day);
    [year, month - 1, day_of_month - 1, day - first, (day + 4).rem_euclid(7)]
}
