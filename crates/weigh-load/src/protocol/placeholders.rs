//! Parameters as workloads write them, `$1`, `$2` and so on, in the form that MySQL and CQL have: a question mark each, in
//! order.

/// A statement with question marks, and for each the number of its parameter, from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) text: String,
    pub(crate) order: Vec<usize>,
}

/// Where texts, names and comments end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// A backslash takes what follows it; `#` begins a comment.
    MySql,
    /// A quote is doubled and a backslash is one; `//` and `--` begin comments; texts may stand between `$$`.
    Cql,
}

/// Replaces parameters outside of texts, names in quotes and comments.
pub(crate) fn placed(text: &str, dialect: Dialect) -> Placed {
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
            [b'$', b'$', ..] if dialect == Dialect::Cql => at = behind(text, at + 2, "$$"),
            [quote @ (b'\'' | b'"' | b'`'), ..] => at = behind_quote(bytes, at, *quote, dialect),
            [b'/', b'*', ..] => at = behind(text, at, "*/"),
            [b'-', b'-', next, ..] if next.is_ascii_whitespace() || dialect == Dialect::Cql => {
                at = behind(text, at, "\n");
            }
            [b'#', ..] if dialect == Dialect::MySql => at = behind(text, at, "\n"),
            [b'/', b'/', ..] if dialect == Dialect::Cql => at = behind(text, at, "\n"),
            _ => at += 1,
        }
    }
    found.text.push_str(&text[copied..]);
    found
}

fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || !byte.is_ascii()
}

/// Behind the quote that ends what begins at `at`. In MySQL a backslash takes what follows it, except in a name.
fn behind_quote(bytes: &[u8], mut at: usize, quote: u8, dialect: Dialect) -> usize {
    at += 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quote != b'`' && dialect == Dialect::MySql => at += 2,
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
            assert_eq!(placed(text, Dialect::MySql), Placed { text: expected.to_owned(), order }, "{text}");
        }
    }

    #[test]
    fn quotes_and_comments_of_cql_are_its_own() {
        for (text, expected, order) in [
            ("SELECT '\\', $1", "SELECT '\\', ?", vec![0]),
            ("SELECT a // $1\n, $2", "SELECT a // $1\n, ?", vec![1]),
            ("SELECT $$ $1 $$, $2 --$3", "SELECT $$ $1 $$, ? --$3", vec![1]),
        ] {
            assert_eq!(placed(text, Dialect::Cql), Placed { text: expected.to_owned(), order }, "{text}");
        }
    }
}
