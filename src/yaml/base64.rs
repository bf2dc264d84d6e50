//! Base64 as Go's `base64.StdEncoding` decodes it.

/// Decodes the standard alphabet with padding; line breaks count for nothing.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bits = 0u32;
    let (mut count, mut padding) = (0, 0);
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    for byte in text.bytes().filter(|it| !matches!(it, b'\n' | b'\r')) {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' if count % 4 >= 2 => {
                padding += 1;
                count += 1;
                continue;
            }
            _ => return None,
        };
        if padding > 0 {
            return None;
        }
        bits = bits << 6 | u32::from(six);
        count += 1;
        if count % 4 == 0 {
            out.extend(&bits.to_be_bytes()[1..]);
        }
    }
    match (count % 4, padding) {
        (0, 1) => out.extend(&(bits << 6).to_be_bytes()[1..3]),
        (0, 2) => out.push((bits << 12).to_be_bytes()[1]),
        (0, 0) => {}
        _ => return None,
    }
    Some(out)
}
