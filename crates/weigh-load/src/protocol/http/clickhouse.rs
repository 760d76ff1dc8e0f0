//! Answers of ClickHouse over HTTP: rows of `TabSeparatedWithNamesAndTypes`, and an exception where a success was said.
//!
//! ClickHouse says 200 before it has read the first row. What goes wrong later stands in the body, behind the rows that
//! were sent (<https://clickhouse.com/docs/interfaces/http>).

use std::borrow::Cow;

use crate::protocol::reply_buffer::{ReplyBuffer, ReplyKind};

/// Bytes of the end of a body that are searched for an exception.
pub(super) const TAIL: usize = 4 << 10;
/// Before the exception, since ClickHouse 25; a name that the head of the answer gave follows, so that no row can be
/// taken for it.
const MARK: &[u8] = b"__exception__\r\n";
const CODE: &str = "Code: ";
const THROWN: &str = "DB::Exception";

/// What came.
pub(super) struct Body<'a> {
    /// Its first bytes.
    pub(super) kept: &'a [u8],
    /// Its last ones.
    pub(super) tail: &'a [u8],
    /// Ends of lines between the two.
    pub(super) more: usize,
    /// The name that stands before an exception; empty where the server gave none.
    pub(super) tag: &'a [u8],
}

/// Puts a body into an answer, with the names of its columns.
pub(super) fn read(body: &Body<'_>, answer: &mut ReplyBuffer, names: &mut Vec<String>) {
    names.clear();
    let whole = body.more == 0 && body.kept.ends_with(body.tail);
    let mut lines: Vec<&[u8]> = body.kept.split(|byte| *byte == b'\n').collect();
    // Behind the last end of a line there is nothing, or a row that was not kept whole.
    let last = lines.pop().unwrap_or_default();
    if lines.is_empty() && last.is_empty() {
        answer.kind = ReplyKind::Count(0);
        return;
    }
    let types: Vec<&[u8]> =
        lines.get(1).map_or_else(Vec::new, |line| line.split(|byte| *byte == b'\t').collect());
    if let Some((code, text)) = exception(body, &types) {
        answer.fail(&code, &text);
        return;
    }
    let columns: Vec<&[u8]> =
        lines.first().map_or_else(Vec::new, |line| line.split(|byte| *byte == b'\t').collect());
    names.extend(columns.iter().map(|name| String::from_utf8_lossy(&unescaped(name)).into_owned()));
    answer.kind = ReplyKind::Rows;
    for line in lines.iter().skip(2) {
        for cell in line.split(|byte| *byte == b'\t') {
            answer.value(if *cell == b"\\N"[..] { None } else { Some(unescaped(cell)) }.as_deref());
        }
        answer.end_row();
    }
    if !whole {
        answer.more(body.more);
    }
}

/// The exception at the end of a body: its number and its text.
fn exception(body: &Body<'_>, types: &[&[u8]]) -> Option<(String, String)> {
    if !body.tag.is_empty() {
        let mark = [MARK, body.tag].concat();
        let at = body.tail.windows(mark.len()).rposition(|window| window == mark)?;
        return parsed(&String::from_utf8_lossy(&body.tail[at + mark.len()..]));
    }
    let end = body.tail.strip_suffix(b"\n").unwrap_or(body.tail);
    let line = end.rsplit(|byte| *byte == b'\n').next()?;
    // Of one column of text a row may say the same, as one of a log does; of others none can.
    let text = |kind: &&[u8]| kind.windows(6).any(|window| window == b"String");
    if types.len() == 1 && types.iter().any(text) {
        return None;
    }
    let line = String::from_utf8_lossy(line);
    // Rows go out in blocks: it stands behind the last one, or in its middle.
    let at = line.rfind(CODE)?;
    (types.is_empty() || !line[..at].contains('\t')).then(|| parsed(&line[at..])).flatten()
}

/// `Code: 241, e.displayText() = DB::Exception: ...`, or `Code: 241. DB::Exception: ...`.
fn parsed(text: &str) -> Option<(String, String)> {
    let text = text.trim();
    let rest = text.strip_prefix(CODE)?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let thrown = rest.find(THROWN)?;
    // Before version 20 it says what it is a second time.
    let said = rest[thrown..].split(", e.what()").next().unwrap_or_default();
    (digits > 0).then(|| (rest[..digits].to_owned(), one_line(said)))
}

/// The number and the text of an exception that is all of a body.
pub(super) fn refusal(text: &str) -> Option<(String, String)> {
    parsed(text)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// A value as it is: ClickHouse escapes what would end a value or a row.
fn unescaped(value: &[u8]) -> Cow<'_, [u8]> {
    if !value.contains(&b'\\') {
        return Cow::Borrowed(value);
    }
    let mut found = Vec::with_capacity(value.len());
    let mut bytes = value.iter();
    while let Some(byte) = bytes.next() {
        found.push(match byte {
            b'\\' => match bytes.next() {
                Some(b'b') => 8,
                Some(b'f') => 12,
                Some(b'n') => b'\n',
                Some(b'r') => b'\r',
                Some(b't') => b'\t',
                Some(b'0') => 0,
                Some(other) => *other,
                None => b'\\',
            },
            other => *other,
        });
    }
    Cow::Owned(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::message::Reply;

    fn answer(body: &str, tag: &str) -> (Vec<String>, String) {
        let (mut buffer, mut names) = (ReplyBuffer::default(), Vec::new());
        let bytes = body.as_bytes();
        let tail = &bytes[bytes.len().saturating_sub(TAIL)..];
        read(&Body { kept: bytes, tail, more: 0, tag: tag.as_bytes() }, &mut buffer, &mut names);
        let text = match buffer.reply(&names) {
            Reply::Rows(rows) => (0..rows.count())
                .map(|row| {
                    let cell = |column| rows.get(row, column).map_or("NULL".into(), String::from_utf8_lossy);
                    (0..rows.width(row)).map(cell).collect::<Vec<_>>().join("|")
                })
                .collect::<Vec<_>>()
                .join(";"),
            Reply::Error { code, text } => format!("error {code}: {text}"),
            other => format!("{other:?}"),
        };
        (names, text)
    }

    #[test]
    fn rows_have_names_and_what_they_escape() {
        let (names, rows) = answer("n\ta b\nUInt8\tNullable(String)\n1\tx\\ty\\\\z\n2\t\\N\n", "");
        assert_eq!((names.join(","), rows.as_str()), ("n,a b".into(), "1|x\ty\\z;2|NULL"));
        assert_eq!(answer("", "").1, "Count(0)");
        assert_eq!(answer("n\nUInt8\n", "").1, "");
    }

    #[test]
    fn an_exception_behind_rows_is_one() {
        let old = "Code: 395, e.displayText() = DB::Exception: Value passed to 'throwIf' is non zero, e.what() = DB::Exc";
        let thrown = "error 395: DB::Exception: Value passed to 'throwIf' is non zero";
        assert_eq!(answer(&format!("n\nUInt8\n0\n0\n{old}\n"), "").1, thrown);
        assert_eq!(answer(&format!("n\nUInt8\n0\n0{old}"), "").1, thrown);
        let new = "Code: 395. DB::Exception: Value\npassed (version 25.1)";
        let marked = format!("a\nString\nx\n\r\n__exception__\r\nabc\r\n{new}\r\n");
        assert_eq!(answer(&marked, "abc").1, "error 395: DB::Exception: Value passed (version 25.1)");
    }

    #[test]
    fn a_row_that_tells_of_an_exception_is_a_row() {
        let text = "Code: 395, e.displayText() = DB::Exception: no";
        assert_eq!(answer(&format!("a\nString\n{text}\n"), "").1, text);
        assert_eq!(answer(&format!("n\ta\nUInt8\tString\n1\t{text}\n"), "").1, format!("1|{text}"));
        let marked = format!("a\nString\n__exception__\\r\\nabc {text}\n");
        assert!(answer(&marked, "abc").1.starts_with("__exception__"));
    }
}
