//! URLs, addresses and networks as Go's `net/url` and `net/netip` read them.

use std::net::IpAddr;
use std::net::Ipv6Addr;

/// A URL with the parts that expressions can ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Url {
    pub(super) text: String,
    pub(super) scheme: String,
    pub(super) host: String,
    /// The path as written; nothing where Go would write it anew.
    pub(super) path: Option<String>,
    pub(super) query: String,
}

/// Reads an absolute URL or path, as `url.ParseRequestURI` does; `None` for what is neither.
pub(super) fn url(text: &str) -> Option<Url> {
    if text.is_empty() || text.bytes().any(|it| it < b' ' || it == 0x7f) {
        return None;
    }
    let whole = || text.to_owned();
    if text == "*" {
        let (scheme, host, query) = (String::new(), String::new(), String::new());
        return Some(Url { text: whole(), scheme, host, path: Some(whole()), query });
    }
    let (scheme, rest) = scheme(text)?;
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let mut res = Url {
        text: whole(),
        scheme,
        host: String::new(),
        path: Some(String::new()),
        query: query.to_owned(),
    };
    if !rest.starts_with('/') {
        return if res.scheme.is_empty() { None } else { Some(res) };
    }
    let mut path = rest;
    if !res.scheme.is_empty()
        && let Some(after) = rest.strip_prefix("//")
    {
        let (authority, rest) = after.split_at(after.find('/').unwrap_or(after.len()));
        path = rest;
        let host = match authority.rsplit_once('@') {
            Some((user, host)) => {
                let allowed = |it: char| it.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(it);
                (user.chars().all(allowed) && escapes_are_sound(user)).then_some(host)?
            }
            None => authority,
        };
        res.host = self::host(&res.scheme, host)?;
    }
    if !escapes_are_sound(path) {
        return None;
    }
    let plain = |it: char| it.is_ascii_alphanumeric() || "-_.~$&+,/:;=@".contains(it);
    res.path = path.chars().all(plain).then(|| path.to_owned());
    Some(res)
}

/// Splits the scheme off, in lower case; empty if there is none.
fn scheme(text: &str) -> Option<(String, &str)> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at == 0 => return None,
            b':' => return Some((text[..at].to_ascii_lowercase(), &text[at + 1..])),
            _ => break,
        }
    }
    Some((String::new(), text))
}

fn host(scheme: &str, host: &str) -> Option<String> {
    let port = |it: &str| {
        it.is_empty() || it.strip_prefix(':').is_some_and(|it| it.bytes().all(|it| it.is_ascii_digit()))
    };
    match host.rfind('[') {
        Some(0) => {
            let end = host.rfind(']')?;
            // Zones and escapes in an address are read by rules of their own; nobody writes them.
            let address = host.get(1..end)?;
            (port(&host[end + 1..]) && matches!(ip(address), Some(IpAddr::V6(_)))).then(|| host.to_owned())
        }
        Some(_) => None,
        None => {
            if let Some(first) = host.find(':') {
                let strict = scheme == "http" || scheme == "https";
                let at = if strict { first } else { host.rfind(':').unwrap_or(first) };
                port(&host[at..]).then_some(())?;
            }
            let allowed = |it: char| {
                !it.is_ascii() || it.is_ascii_alphanumeric() || "-_.~!$&'()*+,;=:[]<>\"%".contains(it)
            };
            // Only bytes beyond ASCII may be escaped in a host.
            let escaped = host.split('%').skip(1).all(|it| {
                let digits = it.get(..2).filter(|it| it.bytes().all(|it| it.is_ascii_hexdigit()));
                digits.is_some_and(|it| it == "25" || it.as_bytes()[0] >= b'8')
            });
            (host.chars().all(allowed) && escaped).then(|| host.to_owned())
        }
    }
}

fn escapes_are_sound(text: &str) -> bool {
    text.split('%')
        .skip(1)
        .all(|it| it.get(..2).is_some_and(|it| it.bytes().all(|it| it.is_ascii_hexdigit())))
}

impl Url {
    /// The host without its port, and the port.
    pub(super) fn host_and_port(&self) -> (&str, &str) {
        let digits = |it: &str| it.bytes().all(|it| it.is_ascii_digit());
        let (host, port) = match self.host.rsplit_once(':') {
            Some((host, port)) if digits(port) => (host, port),
            _ => (self.host.as_str(), ""),
        };
        (host.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or(host), port)
    }
}

/// Reads an address as the server's library does: no zone, no IPv4 address within IPv6.
pub(super) fn ip(text: &str) -> Option<IpAddr> {
    let address = text.parse::<IpAddr>().ok()?;
    let mapped = matches!(address, IpAddr::V6(it) if it.to_ipv4_mapped().is_some());
    (!mapped).then_some(address)
}

/// Reads a network (`10.0.0.0/8`): its address, with all bits, and its length.
pub(super) fn cidr(text: &str) -> Option<(IpAddr, u8)> {
    let (address, bits) = text.rsplit_once('/')?;
    let address = ip(address)?;
    let sound = !bits.is_empty()
        && bits.bytes().all(|it| it.is_ascii_digit())
        && (bits == "0" || !bits.starts_with('0'));
    let bits = bits.parse::<u8>().ok().filter(|it| sound && *it <= width(address))?;
    Some((address, bits))
}

fn width(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

/// The network's first address.
pub(super) fn masked(address: IpAddr, bits: u8) -> IpAddr {
    let keep = |value: u128, width: u8| match width - bits {
        128 => 0,
        drop => value >> drop << drop,
    };
    match address {
        IpAddr::V4(it) => IpAddr::V4((keep(u128::from(u32::from(it)), 32) as u32).into()),
        IpAddr::V6(it) => IpAddr::V6(Ipv6Addr::from(keep(u128::from(it), 128))),
    }
}

/// Whether an address lies in a network.
pub(super) fn contains(network: (IpAddr, u8), address: IpAddr) -> bool {
    network.0.is_ipv4() == address.is_ipv4() && masked(network.0, network.1) == masked(address, network.1)
}

/// Whether an address is of global unicast, as Go has it.
pub(super) fn is_global_unicast(address: IpAddr) -> bool {
    let broadcast = matches!(address, IpAddr::V4(it) if it.is_broadcast());
    !(address.is_unspecified()
        || address.is_loopback()
        || address.is_multicast()
        || is_link_local(address)
        || broadcast)
}

/// Whether an address is of link-local unicast.
pub(super) fn is_link_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(it) => it.is_link_local(),
        IpAddr::V6(it) => it.segments()[0] & 0xffc0 == 0xfe80,
    }
}

/// Whether an address is of link-local multicast.
pub(super) fn is_link_local_multicast(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(it) => it.octets()[..3] == [224, 0, 0],
        IpAddr::V6(it) => it.segments()[0] & 0xff0f == 0xff02,
    }
}
