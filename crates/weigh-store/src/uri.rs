//! Percent-encoding as signatures of version 4 want it: everything but letters, digits and `-._~`.

/// Encodes; a slash stays where `path`.
pub(crate) fn encode(text: &[u8], path: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for &byte in text {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || (path && byte == b'/') {
            out.push(byte.into());
        } else {
            let digit =
                |value: u8| char::from_digit(value.into(), 16).unwrap_or_default().to_ascii_uppercase();
            out.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
    out
}

/// Decodes; a `%` without two digits behind it stays.
pub(crate) fn decode(text: &str, query: bool) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes.get(at + 1..at + 3).and_then(|pair| std::str::from_utf8(pair).ok());
        match bytes[at] {
            b'%' if let Some(byte) = digits.and_then(|pair| u8::from_str_radix(pair, 16).ok()) => {
                out.push(byte);
                at += 3;
                continue;
            }
            b'+' if query => out.push(b' '),
            byte => out.push(byte),
        }
        at += 1;
    }
    out
}

/// The decoded names and values of a query, in their order.
pub(crate) fn pairs(query: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
    query
        .split('&')
        .filter(|part| !part.is_empty())
        .map(|part| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            (decode(name, true), decode(value, true))
        })
        .collect()
}

/// A query as it is sent and signed: encoded, and sorted.
pub(crate) fn query(pairs: &[(Vec<u8>, Vec<u8>)]) -> String {
    let mut parts: Vec<(String, String)> =
        pairs.iter().map(|(name, value)| (encode(name, false), encode(value, false))).collect();
    parts.sort_unstable();
    parts.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded() {
        let all: Vec<u8> = (0..=255).collect();
        for path in [false, true] {
            assert_eq!(decode(&encode(&all, path), false), all);
        }
        assert_eq!(encode(b"a b/c~", true), "a%20b/c~");
        assert_eq!(encode(b"a b/c~", false), "a%20b%2Fc~");
        assert_eq!(decode("a+b%zz%4", true), b"a b%zz%4");
    }

    #[test]
    fn a_query_is_sorted_and_keeps_names_without_value() {
        assert_eq!(query(&pairs("prefix=a%2Fb&location&list-type=2")), "list-type=2&location=&prefix=a%2Fb");
    }
}
