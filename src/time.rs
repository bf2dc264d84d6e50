//! Times and dates, as leniently as Go's `time.Parse` reads them.
//!
//! Mirrors Go's `time` package for the layouts `2006-01-02` and RFC 3339.

/// A moment in UTC, to the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Time {
    /// Seconds since 1970-01-01T00:00:00Z.
    pub(crate) seconds: i64,
}

/// Whether the text is a date `2006-01-02` that exists.
pub(crate) fn is_date(text: &str) -> bool {
    take_date(text).is_some_and(|(_, rest)| rest.is_empty())
}

/// Reads RFC 3339 as Go does: one-digit hours, a comma before the fraction and offsets up to 24:60 pass.
pub(crate) fn parse(text: &str) -> Option<Time> {
    let (days, rest) = take_date(text)?;
    let rest = rest.strip_prefix('T')?;
    let hour_digits = rest.bytes().take(2).take_while(u8::is_ascii_digit).count();
    let (hour, rest) = take_digits(rest, hour_digits, 23)?;
    let (minute, rest) = take_digits(rest.strip_prefix(':')?, 2, 59)?;
    let (second, rest) = take_digits(rest.strip_prefix(':')?, 2, 59)?;
    let rest = skip_fraction(rest);
    let offset = zone(rest)?;
    Some(Time { seconds: days * 86_400 + hour * 3600 + minute * 60 + second - offset })
}

impl Time {
    /// Whether it is Go's zero time, 0001-01-01T00:00:00Z.
    pub(crate) fn is_zero(self) -> bool {
        days(1, 1, 1).is_some_and(|it| self.seconds == it * 86_400)
    }
}

impl std::fmt::Display for Time {
    /// RFC 3339 in UTC, to the second.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (days, rest) = (self.seconds.div_euclid(86_400), self.seconds.rem_euclid(86_400));
        let (year, month, day) = date_of(days);
        let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

fn take_date(text: &str) -> Option<(i64, &str)> {
    let (year, rest) = take_digits(text, 4, 9999)?;
    let (month, rest) = take_digits(rest.strip_prefix('-')?, 2, 12)?;
    let (day, rest) = take_digits(rest.strip_prefix('-')?, 2, 31)?;
    Some((days(year, month, day)?, rest))
}

fn take_digits(text: &str, count: usize, max: i64) -> Option<(i64, &str)> {
    let digits = text.get(..count).filter(|it| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit()))?;
    let number: i64 = digits.parse().ok()?;
    (number <= max).then(|| (number, &text[count..]))
}

fn skip_fraction(text: &str) -> &str {
    match text.strip_prefix(['.', ',']) {
        Some(rest) if rest.starts_with(|it: char| it.is_ascii_digit()) => {
            rest.trim_start_matches(|it: char| it.is_ascii_digit())
        }
        _ => text,
    }
}

/// The offset in seconds; nothing may follow it.
fn zone(text: &str) -> Option<i64> {
    if text == "Z" {
        return Some(0);
    }
    let sign = if text.starts_with('+') { 1 } else { -1 };
    let (hours, rest) = take_digits(text.strip_prefix(['+', '-'])?, 2, 24)?;
    let (minutes, rest) = take_digits(rest.strip_prefix(':')?, 2, 60)?;
    rest.is_empty().then_some(sign * (hours * 3600 + minutes * 60))
}

/// The days since 1970 of a date of the Gregorian calendar, if there is such a date
/// (Hinnant's algorithm).
pub(crate) fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if day < 1 || day > length {
        return None;
    }
    // Counting years from March puts the leap day at the end.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let era = y.div_euclid(400);
    let of_era = y.rem_euclid(400);
    let of_year = (153 * m + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

/// The year, month and day of the month of a day since 1970.
pub(crate) fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = (shifted + 2) % 12 + 1;
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
}
