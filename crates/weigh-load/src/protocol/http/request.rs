//! A request as a script writes it: `METHOD [PATH]`, headers, an empty line, the body.

use bytes::BytesMut;

use super::Login;

/// Headers that the connection has to decide.
const OWN: [&str; 5] = ["connection", "content-length", "expect", "host", "transfer-encoding"];
/// Methods that a request is known by.
const METHODS: [&str; 7] = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Request<'a> {
    pub(crate) method: &'a str,
    /// Empty for that of the target.
    path: &'a str,
    headers: &'a str,
    body: &'a str,
}

impl<'a> Request<'a> {
    /// A statement, to the path of the target.
    pub(super) fn of_sql(statement: &'a str) -> Self {
        Self { method: "POST", path: "", headers: "", body: statement }
    }

    /// Reads it.
    pub(crate) fn read(text: &'a str) -> Result<Self, String> {
        let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
        let line = line.trim();
        let (method, path) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let path = path.trim_start();
        if !METHODS.contains(&method) {
            let known = METHODS.join(", ");
            return Err(format!("a request begins with its method, one of {known}, and not with {method:?}"));
        }
        if !(path.is_empty() || path.starts_with('/')) || !path.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(format!(
                "the path {path:?} is none: it begins with a slash, and blanks and letters beyond ASCII are %-encoded"
            ));
        }
        let (headers, body) = parts(rest);
        for header in headers.lines() {
            let name = header.split_once(':').map(|(name, _)| name);
            let token = |name: &str| {
                !name.is_empty()
                    && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
            };
            match name {
                Some(name) if token(name) && OWN.contains(&name.to_ascii_lowercase().as_str()) => {
                    return Err(format!("the header {name} is weigh's to send"));
                }
                Some(name) if token(name) && !header.contains(|c: char| c.is_control() && c != '\t') => {}
                _ => {
                    return Err(format!(
                        "{header:?} is no header; they have the form Name: value, and an empty line stands before the \
                         body"
                    ));
                }
            }
        }
        Ok(Self { method, path, headers, body })
    }

    /// Writes it as it goes over the wire.
    pub(crate) fn write(&self, login: &Login, out: &mut BytesMut) {
        let mut put = |words: &[&str]| words.iter().for_each(|word| out.extend_from_slice(word.as_bytes()));
        let path = if self.path.is_empty() { &login.path } else { self.path };
        put(&[self.method, " ", path, " HTTP/1.1\r\nHost: ", &login.host, "\r\nUser-Agent: weigh\r\n"]);
        let has = |wanted: &str| {
            let mut names = self.headers.lines().filter_map(|header| header.split_once(':'));
            names.any(|(name, _)| name.eq_ignore_ascii_case(wanted))
        };
        if let Some(authorization) = login.authorization.as_deref().filter(|_| !has("authorization")) {
            put(&["Authorization: ", authorization, "\r\n"]);
        }
        for header in self.headers.lines() {
            put(&[header.trim_end(), "\r\n"]);
        }
        if !self.body.is_empty() || matches!(self.method, "PATCH" | "POST" | "PUT") {
            put(&["Content-Length: ", &self.body.len().to_string(), "\r\n"]);
        }
        put(&["\r\n", self.body]);
    }
}

/// What stands before the first empty line, and behind it.
fn parts(text: &str) -> (&str, &str) {
    let mut begin = 0;
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            return (&text[..begin], &text[begin + line.len()..]);
        }
        begin += line.len();
    }
    (text, "")
}
