//! The words of a command as `valkey-cli` takes them: apart by blanks, or within quotes.

/// The words of a line.
///
/// # Errors
///
/// A quote has no end, or something follows on it without a blank; or there is no word.
pub(crate) fn words(text: &str) -> Result<Vec<Vec<u8>>, String> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (word, after) = match first {
            '"' | '\'' => quoted(&rest[1..], first)?,
            _ => {
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                (rest.as_bytes()[..end].to_vec(), &rest[end..])
            }
        };
        if after.starts_with(|c: char| !c.is_whitespace()) {
            return Err("something follows on a quote without a blank".to_owned());
        }
        found.push(word);
        rest = after.trim_start();
    }
    if found.is_empty() { Err("a command without a word".to_owned()) } else { Ok(found) }
}

/// Why a command is none of a script: after it a connection answers without being asked, in another form, or no more.
pub(crate) fn endless(words: &[Vec<u8>]) -> Option<String> {
    let upper = |place: usize| words.get(place).map(|word| word.to_ascii_uppercase()).unwrap_or_default();
    let (name, second) = (upper(0), upper(1));
    let what = match (name.as_slice(), second.as_slice()) {
        (b"SUBSCRIBE" | b"PSUBSCRIBE" | b"SSUBSCRIBE", _) => {
            "waits for what others publish, and no request has an end"
        }
        (b"MONITOR" | b"SYNC" | b"PSYNC", _) => {
            "has the server send what others do, and no request has an end"
        }
        (b"QUIT" | b"SHUTDOWN", _) => "ends the connection that the next request needs",
        (b"HELLO", _) => "changes the form of all answers",
        (b"CLIENT", b"REPLY") => "has the server answer no more, and every request would wait for ever",
        _ => return None,
    };
    let name = String::from_utf8_lossy(&name).into_owned();
    let second = if name == "CLIENT" { " REPLY" } else { "" };
    Some(format!(
        "{name}{second} {what}: leave it out, and measure the commands whose answers users wait for"
    ))
}

/// What stands before the next such quote, and what comes behind it.
fn quoted(text: &str, quote: char) -> Result<(Vec<u8>, &str), String> {
    let mut word = Vec::new();
    let mut rest = text.char_indices();
    while let Some((at, c)) = rest.next() {
        match c {
            c if c == quote => return Ok((word, &text[at + 1..])),
            // Within single quotes it is before another one only.
            '\\' if quote == '"' || text[at + 1..].starts_with('\'') => {
                let Some((next, escaped)) = rest.next() else { break };
                match escaped {
                    'n' => word.push(b'\n'),
                    'r' => word.push(b'\r'),
                    't' => word.push(b'\t'),
                    'b' => word.push(8),
                    'a' => word.push(7),
                    'x' => {
                        let digits =
                            text.get(next + 1..next + 3).and_then(|two| u8::from_str_radix(two, 16).ok());
                        let byte = digits.ok_or("\\x needs two digits of base 16")?;
                        word.push(byte);
                        rest.nth(1);
                    }
                    other => word.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes()),
                }
            }
            other => word.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Err(format!("a quote {quote} without its end"))
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_are_those_of_the_client() {
        for (text, expected) in [
            ("GET foo", &["GET", "foo"][..]),
            ("  SET\tk \"a b\\n\\x41\" 'it\\'s \\n'", &["SET", "k", "a b\nA", "it's \\n"]),
            ("SET k \"\"", &["SET", "k", ""]),
            ("HSET {ü}:1 f v", &["HSET", "{ü}:1", "f", "v"]),
        ] {
            let found = words(text).unwrap();
            assert_eq!(
                found,
                expected.iter().map(|word| word.as_bytes().to_vec()).collect::<Vec<_>>(),
                "{text}"
            );
        }
        for text in ["", "SET k \"a", "SET k 'a'b", "SET k \"\\xz\"", "GET 'a\\"] {
            assert!(words(text).is_err(), "{text}");
        }
    }
}
