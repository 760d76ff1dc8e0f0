//! What the answer to a request must be besides not refused: a server may say 200 over an error.

use std::ops::RangeInclusive;

use serde_json::Value;

use super::super::limits::{KEPT, beginning};
use super::document::Document;

const FORMS: &str = "it has one of the forms json .PATH=VALUE, json .PATH!=VALUE, json .PATH, contains TEXT, lacks TEXT, \
                     status 200,204,300-399";
/// Bytes of a value that an error quotes.
const QUOTED: usize = 100;
/// How bodies begin that gzip and zstd made: a text is not found in them, and is not lacking either.
const COMPRESSED: [&[u8]; 2] = [b"\x1f\x8b", b"\x28\xb5\x2f\xfd"];
/// A mark of UTF-8, which readers of JSON may ignore (RFC 8259, section 8.1).
const MARK: &[u8] = b"\xef\xbb\xbf";

/// One step of a path into JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Member(String),
    Element(usize),
}

/// One thing that must hold of an answer.
#[derive(Clone, Debug)]
enum Test {
    /// The value there is this one, or with `false` is another; without one, it is there, and neither null nor false.
    Json(Vec<Step>, Option<(bool, Value)>),
    /// The body has this text, or with `false` has it not.
    Contains(bool, Vec<u8>),
    /// The status is one of these.
    Status(Vec<RangeInclusive<u16>>),
}

/// One thing that must hold of an answer, with its words.
#[derive(Clone, Debug)]
struct Expectation {
    text: String,
    test: Test,
}

/// Everything that must hold of each answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expectations(Vec<Expectation>);

impl Expectations {
    /// Reads them.
    ///
    /// # Errors
    ///
    /// Why one of them cannot be read, for people.
    pub(crate) fn read(texts: &[String]) -> Result<Self, String> {
        let read = |text: &String| {
            test(text)
                .map(|test| Expectation { text: text.clone(), test })
                .ok_or_else(|| format!("what is expected cannot be read: {text:?}; {FORMS}"))
        };
        texts.iter().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// Whether they say which statuses are right, in the place of those that HTTP calls a success.
    pub(crate) fn decide_status(&self) -> bool {
        self.0.iter().any(|one| matches!(one.test, Test::Status(_)))
    }

    /// The first that does not hold, with what there is instead; nothing where all hold.
    ///
    /// `body` may have been cut at [`KEPT`] bytes: nothing can be said of such a one, nor of one that is `encoded`.
    pub(crate) fn broken(&self, status: u16, body: &[u8], encoded: bool) -> Option<String> {
        let encoded = encoded || COMPRESSED.iter().any(|begin| body.starts_with(begin));
        let mut document: Option<Result<Document, String>> = None;
        self.0.iter().find_map(|one| {
            let found = match &one.test {
                Test::Status(right) => {
                    (!right.iter().any(|range| range.contains(&status))).then(|| format!("it is {status}"))
                }
                _ if encoded => Some("the body is compressed, and cannot be looked into".to_owned()),
                _ if body.len() >= KEPT => Some("the body is too long to look into".to_owned()),
                Test::Contains(wanted, text) => {
                    let has = text.is_empty() || body.windows(text.len()).any(|part| part == text);
                    (has != *wanted).then(|| if has { "it has" } else { "it has not" }.to_owned())
                }
                Test::Json(path, wanted) => {
                    let document = document.get_or_insert_with(|| {
                        let text = body.strip_prefix(MARK).unwrap_or(body);
                        serde_json::from_slice(text).map_err(|error| match error.to_string() {
                            why if why.starts_with("number out of range") => {
                                format!("it has a number beyond a double, and cannot be read ({why})")
                            }
                            why => format!("it is no JSON ({why})"),
                        })
                    });
                    document
                        .as_ref()
                        .map_or_else(|why| Some(why.clone()), |root| differs(root, path, wanted.as_ref()))
                }
            };
            found.map(|what| format!("{}: {what}", one.text))
        })
    }
}

/// What stands at a path instead of what is wanted; nothing where it is that.
fn differs(root: &Document, path: &[Step], wanted: Option<&(bool, Value)>) -> Option<String> {
    let found = match at(root, path) {
        Ok(found) => found.map(Document::value),
        Err(name) => return Some(format!("{} stands there twice", beginning(name, QUOTED))),
    };
    let right = match (&found, wanted) {
        (found, Some((equal, value))) => found.as_ref().is_some_and(|found| same(found, value)) == *equal,
        (found, None) => {
            found.as_ref().is_some_and(|found| !matches!(found, Value::Null | Value::Bool(false)))
        }
    };
    let text = found.map_or_else(|| "nothing".to_owned(), |found| found.to_string());
    (!right).then(|| format!("there is {}", beginning(&text, QUOTED)))
}

/// What stands at a path, or nothing.
///
/// # Errors
///
/// The name of a member on the path that stands twice: nobody can tell which of the two is meant.
fn at<'a>(root: &'a Document, path: &'a [Step]) -> Result<Option<&'a Document>, &'a str> {
    let mut found = root;
    for step in path {
        let next = match (step, found) {
            (Step::Member(name), Document::Object(members)) => {
                let mut those = members.iter().filter(|(other, _)| other == name);
                let first = those.next();
                if those.next().is_some() {
                    return Err(name);
                }
                first.map(|(_, one)| one)
            }
            (Step::Element(number), Document::Array(elements)) => elements.get(*number),
            _ => None,
        };
        let Some(next) = next else { return Ok(None) };
        found = next;
    }
    Ok(Some(found))
}

/// Whether two values are equal: 1 is 1.0.
fn same(one: &Value, other: &Value) -> bool {
    one == other || one.as_f64().is_some_and(|number| other.as_f64() == Some(number))
}

fn test(text: &str) -> Option<Test> {
    let (word, rest) = text.trim().split_once(char::is_whitespace)?;
    let rest = rest.trim_start();
    match word {
        "contains" | "lacks" if !rest.is_empty() => Some(Test::Contains(word == "contains", rest.into())),
        "status" => rest.split(',').map(|one| statuses(one.trim())).collect::<Option<_>>().map(Test::Status),
        "json" => {
            let (path, wanted) = match rest.split_once('=') {
                Some((path, value)) => {
                    let (path, equal) = path.strip_suffix('!').map_or((path, true), |path| (path, false));
                    let value = value.trim();
                    if beyond_a_double(value) {
                        return None;
                    }
                    let value =
                        serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
                    (path, Some((equal, value)))
                }
                None => (rest, None),
            };
            Some(Test::Json(steps(path.trim())?, wanted))
        }
        _ => None,
    }
}

/// Whether it is a number that no double holds: it would be compared as a text, and equal nothing.
fn beyond_a_double(text: &str) -> bool {
    text.ends_with(|last: char| last.is_ascii_digit()) && text.parse::<f64>().is_ok_and(f64::is_infinite)
}

fn statuses(text: &str) -> Option<RangeInclusive<u16>> {
    let number = |text: &str| text.parse::<u16>().ok().filter(|number| (100..=599).contains(number));
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (number(first)?, number(last)?);
    (first <= last).then_some(first..=last)
}

/// A path as jq writes it: `.a.b[0]`; `.` is the whole document.
fn steps(text: &str) -> Option<Vec<Step>> {
    let mut rest = text;
    let mut found = Vec::new();
    if rest == "." {
        return Some(found);
    }
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let (number, behind) = inner.split_once(']')?;
            found.push(Step::Element(number.parse().ok()?));
            rest = behind;
        } else {
            let name = rest.strip_prefix('.')?;
            if name.starts_with('[') {
                rest = name;
                continue;
            }
            let end = name.find(['.', '[']).unwrap_or(name.len());
            if end == 0 {
                return None;
            }
            found.push(Step::Member(name[..end].to_owned()));
            rest = &name[end..];
        }
    }
    (!found.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(expected: &str, status: u16, body: &str) -> Option<String> {
        Expectations::read(&[expected.to_owned()]).unwrap().broken(status, body.as_bytes(), false)
    }

    #[test]
    fn what_holds_is_not_broken() {
        let body = r#"{"status": "ok", "n": 1.0, "rows": [{"id": 7}, null], "a=b": 1, "text": "a = b"}"#;
        for expected in [
            "json .status=ok",
            "json .status=\"ok\"",
            "json .status!=error",
            "json .n=1",
            "json .rows[0].id=7",
            "json .rows.[0].id = 7",
            "json .rows",
            "json .error!=1",
            "json .text=a = b",
            "json .",
            "contains \"ok\"",
            "lacks error",
            "status 200",
            "status 204, 200-299",
        ] {
            assert_eq!(broken(expected, 200, body), None, "{expected}");
        }
    }

    #[test]
    fn what_does_not_hold_is_told_with_what_there_is() {
        let body = r#"{"status": "error", "ok": false, "rows": []}"#;
        for (expected, what) in [
            ("json .status=ok", "there is \"error\""),
            ("json .status!=error", "there is \"error\""),
            ("json .ok", "there is false"),
            ("json .rows[0]", "there is nothing"),
            ("json .gone=1", "there is nothing"),
            ("contains fine", "it has not"),
            ("lacks error", "it has"),
            ("status 204", "it is 200"),
        ] {
            assert_eq!(broken(expected, 200, body), Some(format!("{expected}: {what}")));
        }
        assert!(broken("json .a=1", 200, "<html>").unwrap().contains("it is no JSON"));
        assert!(broken("lacks x", 200, &"y".repeat(KEPT)).unwrap().contains("too long"));
    }

    #[test]
    fn a_member_that_stands_twice_holds_nothing() {
        let body = r#"{"status": "ok", "status": "error", "a": {"x": 1, "x": 1}, "n": 1}"#;
        for expected in ["json .status=ok", "json .status=error", "json .status!=late", "json .a.x=1"] {
            assert!(broken(expected, 200, body).unwrap().ends_with("stands there twice"), "{expected}");
        }
        assert_eq!(broken("json .n=1", 200, body), None);
        assert!(broken("json .n", 200, r#"{"n": 1"#).unwrap().contains("it is no JSON"));
        assert!(broken("json .n", 200, &"[".repeat(4000)).unwrap().contains("it is no JSON"));
    }

    #[test]
    fn a_mark_is_ignored_and_a_compressed_body_proves_nothing() {
        assert_eq!(broken("json .n=1", 200, "\u{feff}{\"n\": 1}"), None);
        let read = |text: &str| Expectations::read(&[text.to_owned()]).unwrap();
        for text in ["json .n=1", "lacks error", "contains \u{1f}"] {
            assert!(read(text).broken(200, b"\x1f\x8b\x08", false).unwrap().contains("compressed"), "{text}");
            assert!(read(text).broken(200, b"any", true).unwrap().contains("compressed"), "{text}");
        }
        assert_eq!(read("status 200").broken(200, b"\x1f\x8b\x08", true), None);
    }

    #[test]
    fn a_number_beyond_a_double_is_not_taken_for_no_json() {
        assert!(broken("json .n=1", 200, r#"{"n": 1e400}"#).unwrap().contains("beyond a double"));
        assert_eq!(broken("json .n=inf", 200, r#"{"n": "inf"}"#), None);
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_the_forms() {
        for text in [
            "",
            "json",
            "json status=ok",
            "json .a[x]",
            "json ..a",
            "contains",
            "status 99",
            "status 3-2",
            "json .n=1e400",
            "body",
        ] {
            let error = Expectations::read(&[text.to_owned()]).unwrap_err();
            assert!(error.contains("json .PATH=VALUE"), "{text}: {error}");
        }
    }
}
