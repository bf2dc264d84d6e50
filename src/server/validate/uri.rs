//! URIs as Go's `net/url.ParseRequestURI` reads them: absolute, or an absolute path.

use std::net::Ipv6Addr;

/// Whether the text is a URI that a request may name.
pub(super) fn is_request_uri(text: &str) -> bool {
    if text.is_empty() || text.bytes().any(|it| it < b' ' || it == 0x7f) {
        return false;
    }
    if text == "*" {
        return true;
    }
    let Some((scheme, rest)) = scheme(text) else { return false };
    let rest = rest.split('?').next().unwrap_or_default();
    if !rest.starts_with('/') {
        return !scheme.is_empty();
    }
    let path = match rest.strip_prefix("//").filter(|_| !scheme.is_empty()) {
        Some(authority) => {
            let end = authority.find('/').unwrap_or(authority.len());
            if !is_authority(scheme, &authority[..end]) {
                return false;
            }
            &authority[end..]
        }
        None => rest,
    };
    is_escaped(path, '%')
}

/// The scheme, empty where there is none, and what follows it; nothing for a malformed one.
fn scheme(text: &str) -> Option<(&str, &str)> {
    for (at, c) in text.char_indices() {
        match c {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if at > 0 => {}
            ':' if at == 0 => return None,
            ':' => return Some((&text[..at], &text[at + 1..])),
            _ => return Some(("", text)),
        }
    }
    Some(("", text))
}

/// Whether every sign of escapes has two hexadecimal digits behind it.
pub(super) fn is_escaped(text: &str, sign: char) -> bool {
    text.split(sign).skip(1).all(|it| it.len() >= 2 && it.bytes().take(2).all(|it| it.is_ascii_hexdigit()))
}

fn is_authority(scheme: &str, authority: &str) -> bool {
    let Some((user, host)) = authority.rsplit_once('@') else { return is_host(scheme, authority) };
    let allowed = |it: char| it.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(it);
    is_host(scheme, host) && user.chars().all(allowed) && is_escaped(user, '%')
}

fn is_host(scheme: &str, host: &str) -> bool {
    match host.rfind('[') {
        Some(0) => return is_bracketed(host),
        Some(_) => return false,
        None => {}
    }
    if let Some(first) = host.find(':') {
        let strict = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
        let port = if strict { first } else { host.rfind(':').unwrap_or(first) };
        if !is_port(&host[port..]) {
            return false;
        }
    }
    is_host_text(host)
}

fn is_bracketed(host: &str) -> bool {
    let Some(end) = host.rfind(']') else { return false };
    if !is_port(&host[end + 1..]) {
        return false;
    }
    let inner = &host[1..end];
    let (address, zone) = match inner.find("%25") {
        Some(at) => (&inner[..at], Some(&inner[at + 3..])),
        None => (inner, None),
    };
    let zone_is_valid = zone.is_none_or(|it| !it.is_empty() && is_zone_text(it));
    zone_is_valid && address.parse::<Ipv6Addr>().is_ok()
}

fn is_port(text: &str) -> bool {
    text.is_empty() || text.strip_prefix(':').is_some_and(|it| it.bytes().all(|it| it.is_ascii_digit()))
}

/// In a host only bytes beyond ASCII may be escaped, and the percent sign itself.
fn is_host_text(host: &str) -> bool {
    let escapes = host
        .split('%')
        .skip(1)
        .all(|it| it.starts_with("25") || it.as_bytes().first().is_some_and(|it| !(b'0'..b'8').contains(it)));
    is_escaped(host, '%') && escapes && host.chars().all(|it| it == '%' || is_host_char(it))
}

/// In a zone only what may also be written plainly may be escaped, the percent sign and a space.
fn is_zone_text(zone: &str) -> bool {
    let may_be_escaped = |it: &str| {
        let byte = it.get(..2).and_then(|it| u8::from_str_radix(it, 16).ok());
        byte.is_some_and(|it| matches!(it, b'%' | b' ') || it.is_ascii() && is_host_char(it.into()))
    };
    is_escaped(zone, '%')
        && zone.split('%').skip(1).all(may_be_escaped)
        && zone.chars().all(|it| it == '%' || is_host_char(it))
}

fn is_host_char(c: char) -> bool {
    !c.is_ascii() || c.is_ascii_alphanumeric() || "-_.~!$&'()*+,;=:[]<>\"".contains(c)
}
