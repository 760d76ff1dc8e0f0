//! Parameters as workloads write them, `$1`, `$2` and so on, in the form that MySQL has: a question mark each, in order.

/// A statement with question marks, and for each the number of its parameter, from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) text: String,
    pub(super) order: Vec<usize>,
}

/// Replaces parameters outside of texts, names in quotes and comments.
pub(super) fn placed(text: &str) -> Placed {
    let bytes = text.as_bytes();
    let mut found = Placed { text: String::with_capacity(text.len()), order: Vec::new() };
    let (mut at, mut copied) = (0, 0);
    while at < bytes.len() {
        match &bytes[at..] {
            [b'$', digit, ..] if digit.is_ascii_digit() && !(at > 0 && in_name(bytes[at - 1])) => {
                let digits = bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                let number = text[at + 1..=at + digits].parse::<usize>().unwrap_or(0);
                found.text.push_str(&text[copied..at]);
                found.text.push('?');
                found.order.push(number.saturating_sub(1));
                at += 1 + digits;
                copied = at;
            }
            [quote @ (b'\'' | b'"' | b'`'), ..] => at = behind_quote(bytes, at, *quote),
            [b'/', b'*', ..] => at = behind(text, at, "*/"),
            [b'-', b'-', next, ..] if next.is_ascii_whitespace() => at = behind(text, at, "\n"),
            [b'#', ..] => at = behind(text, at, "\n"),
            _ => at += 1,
        }
    }
    found.text.push_str(&text[copied..]);
    found
}

fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || !byte.is_ascii()
}

/// Behind the quote that ends what begins at `at`. A backslash takes what follows it, except in a name.
fn behind_quote(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    at += 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quote != b'`' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn behind(text: &str, at: usize, end: &str) -> usize {
    text[at..].find(end).map_or(text.len(), |length| at + length + end.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_become_question_marks_in_their_order() {
        for (text, expected, order) in [
            ("SELECT $1, a+$12 FROM t", "SELECT ?, a+? FROM t", vec![0, 11]),
            (
                "UPDATE t SET a = $2 WHERE b = $1 OR c = $2",
                "UPDATE t SET a = ? WHERE b = ? OR c = ?",
                vec![1, 0, 1],
            ),
            (
                "SELECT '$1', \"$2\", `$3`, 'it\\'s $4', '''$5' -- $6\n, $7",
                "SELECT '$1', \"$2\", `$3`, 'it\\'s $4', '''$5' -- $6\n, ?",
                vec![6],
            ),
            ("SELECT a$1, /* $1 */ 5--$1 # $3", "SELECT a$1, /* $1 */ 5--? # $3", vec![0]),
            ("SELECT 'ä', $1", "SELECT 'ä', ?", vec![0]),
            ("SELECT '$1", "SELECT '$1", vec![]),
        ] {
            assert_eq!(placed(text), Placed { text: expected.to_owned(), order }, "{text}");
        }
    }
}
