//! URLs as Go's net/url reads them, as far as a CRD holds any.
//!
//! Mirrors `ValidateWebhookURL` and `ParseRequestURI`.

const FORM: &str = "; desired format: https://host[/path]";

/// The parts of a URL that are asked for.
#[derive(Debug, Default)]
struct Url {
    scheme: String,
    host: String,
    user: bool,
    query: bool,
    fragment: bool,
}

/// What is wrong with the URL of a webhook: the type of the error and the words.
pub(super) fn webhook(text: &str) -> Vec<(&'static str, String)> {
    const INVALID: &str = "FieldValueInvalid";
    let url = match parse(text, true) {
        Ok(url) => url,
        Err(error) => {
            let words = format!("url must be a valid URL: parse {text:?}: {error}{FORM}");
            return vec![("FieldValueRequired", words)];
        }
    };
    let wrong = [
        (url.scheme != "https", format!("'https' is the only allowed URL scheme{FORM}")),
        (url.host.is_empty(), format!("host must be specified{FORM}")),
        (url.user, "user information is not permitted in the URL".to_owned()),
        (url.fragment, "fragments are not permitted in the URL".to_owned()),
        (url.query, "query parameters are not permitted in the URL".to_owned()),
    ];
    wrong.into_iter().filter(|it| it.0).map(|it| (INVALID, it.1)).collect()
}

/// Whether a text is a URL with a scheme and a host.
pub(super) fn is_absolute(text: &str) -> bool {
    parse(text, false).is_ok_and(|it| !it.scheme.is_empty() && !it.host.is_empty())
}

/// `url.Parse`, or without fragments `url.ParseRequestURI`.
fn parse(text: &str, fragments: bool) -> Result<Url, String> {
    let mut url = Url::default();
    let mut rest = text;
    if let (true, Some((before, after))) = (fragments, text.split_once('#')) {
        (rest, url.fragment) = (before, !after.is_empty());
        unescape(after)?;
    }
    if rest.bytes().any(|it| it < 0x20 || it == 0x7f) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    if rest.is_empty() && !fragments {
        return Err("empty url".to_owned());
    }
    let (scheme, mut rest) = scheme(rest)?;
    url.scheme = scheme.to_ascii_lowercase();
    if let Some((before, query)) = rest.split_once('?') {
        (rest, url.query) = (before, !query.is_empty());
    }
    if !rest.starts_with('/') {
        if !scheme.is_empty() {
            return Ok(url);
        }
        if !fragments {
            return Err("invalid URI for request".to_owned());
        }
        if rest.split('/').next().is_some_and(|it| it.contains(':')) {
            return Err("first path segment in URL cannot contain colon".to_owned());
        }
    }
    let authority = !scheme.is_empty() || (fragments && !rest.starts_with("///"));
    if let (true, Some(after)) = (authority, rest.strip_prefix("//")) {
        let end = after.find('/').unwrap_or(after.len());
        let (user, host) = match after[..end].rsplit_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, &after[..end]),
        };
        check_host(host)?;
        if let Some(user) = user {
            check_user(user)?;
        }
        (url.host, url.user, rest) = (host.to_owned(), user.is_some(), &after[end..]);
    }
    unescape(rest)?;
    Ok(url)
}

/// The scheme before the first colon, if there is one.
fn scheme(text: &str) -> Result<(&str, &str), String> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at == 0 => return Err("missing protocol scheme".to_owned()),
            b':' => return Ok((&text[..at], &text[at + 1..])),
            _ => break,
        }
    }
    Ok(("", text))
}

fn check_host(host: &str) -> Result<(), String> {
    let port = match host.find(':') {
        _ if host.starts_with('[') => {
            let close = host.rfind(']').ok_or("missing ']' in host")?;
            host[1..close].parse::<std::net::Ipv6Addr>().map_err(|_| "invalid host: ParseAddr".to_owned())?;
            &host[close + 1..]
        }
        _ if host.contains('[') => return Err("invalid IP-literal".to_owned()),
        Some(at) => &host[at..],
        None => "",
    };
    let digits = port.strip_prefix(':').unwrap_or(port);
    if !digits.bytes().all(|it| it.is_ascii_digit()) || (digits == port && !port.is_empty()) {
        return Err(format!("invalid port {port:?} after host"));
    }
    let allowed =
        |it: char| !it.is_ascii() || it.is_ascii_alphanumeric() || "-_.~!$&'()*+,;=:[]<>\"%".contains(it);
    if let Some(wrong) = host.chars().find(|it| !allowed(*it)) {
        return Err(format!("invalid character {:?} in host name", wrong.to_string()));
    }
    unescape(host)
}

fn check_user(user: &str) -> Result<(), String> {
    let allowed = |it: char| it.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(it);
    if !user.chars().all(allowed) {
        return Err("net/url: invalid userinfo".to_owned());
    }
    unescape(user)
}

/// Percent signs are followed by two hexadecimal digits.
fn unescape(text: &str) -> Result<(), String> {
    let bytes = text.as_bytes();
    for (at, _) in text.match_indices('%') {
        let escape = &bytes[at..bytes.len().min(at + 3)];
        if escape.len() < 3 || !escape[1..].iter().all(u8::is_ascii_hexdigit) {
            return Err(format!("invalid URL escape {:?}", String::from_utf8_lossy(escape)));
        }
    }
    Ok(())
}
