//! One session of HTTP/1.1, without a socket: a request out, its response in, and the connection kept for the next.
//!
//! A response must say how long it is, by `Content-Length` or chunk by chunk. What it says of its length is not believed
//! further than it has come: a body is read as it arrives, counted, and kept no further than
//! [`KEPT`](super::limits::KEPT).

mod clickhouse;
mod document;
mod expectation;
mod request;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::{Buf, BytesMut};

use crate::config::{Target, TargetKind, TlsUse};
use crate::error::Error;
use crate::protocol::Step;
use crate::protocol::limits::{ERROR_TEXT, KEPT};
use crate::protocol::reply_buffer::ReplyBuffer;
use crate::workload::message::{Command, Reply};

use expectation::Expectations;
pub(crate) use request::Request;

/// The longest head of a response, the longest line before a chunk, and the longest trailers, in bytes.
const LONGEST_HEAD: usize = 64 << 10;
const LONGEST_LINE: usize = 4 << 10;
/// Headers of a response, at most.
const HEADERS: usize = 128;

/// Code of an answer that was a success by its status, and not what was expected.
const EXPECT: &str = "EXPECT";

/// Where requests go, and who sends them.
#[derive(Clone)]
pub(crate) struct Login {
    /// The host with its port, as the header of that name has it.
    pub(crate) host: String,
    /// Of requests that name none.
    pub(crate) path: String,
    /// The header of that name.
    pub(crate) authorization: Option<String>,
    /// What each answer must be.
    expectations: Expectations,
    /// Whether statements go there, and rows of ClickHouse come back.
    sql: bool,
}

impl Login {
    /// # Errors
    ///
    /// [`Error::Setting`]: what is expected of answers cannot be read.
    pub(crate) fn new(target: &Target) -> Result<Self, Error> {
        let name = target.host.as_deref().unwrap_or("localhost");
        let name = if name.contains(':') { format!("[{name}]") } else { name.to_owned() };
        let sql = target.kind == TargetKind::ClickHouse;
        let usual = if target.tls == TlsUse::Off { 80 } else { 443 };
        let host = match target.port {
            Some(port) if port != usual => format!("{name}:{port}"),
            _ => name,
        };
        let authorization = (target.user.is_some() || target.password.is_some()).then(|| {
            let [user, password] =
                [&target.user, &target.password].map(|one| one.as_deref().unwrap_or_default());
            format!("Basic {}", BASE64_STANDARD.encode(format!("{user}:{password}")))
        });
        let path = target.path_and_query.clone().unwrap_or_else(|| "/".to_owned());
        let expectations = Expectations::read(&target.expect).map_err(Error::Setting)?;
        Ok(Self { host, path, authorization, expectations, sql })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Nothing was said: there is no greeting.
    Opening,
    Idle,
    Head,
    /// So many bytes of the body are to come.
    Sized(u64),
    /// The line before a chunk.
    ChunkLine,
    /// So many bytes of the chunk are to come.
    Chunk(u64),
    /// The end of the line behind a chunk.
    ChunkEnd,
    Trailers,
}

/// What a body has, by its head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Plain,
    /// Rows of ClickHouse.
    Rows,
    /// Compressed, or in another coding that is not looked into.
    Encoded,
}

/// One session.
pub(crate) struct Session {
    login: Login,
    stage: Stage,
    answer: ReplyBuffer,
    /// Whether the request was one whose answer has no body.
    bodiless: bool,
    /// How far the bytes of a head, or of trailers, were looked at.
    looked: usize,
    /// Bytes of trailers that were read.
    trailers: usize,
    /// The status that makes the answer an error, with its reason.
    refused: Option<(u16, String)>,
    /// The status of the answer.
    status: u16,
    /// What is kept of the body.
    body: Vec<u8>,
    /// Of ClickHouse: the end of the body, the lines between the two, and what stands before an exception.
    tail: Vec<u8>,
    lines: usize,
    tag: Vec<u8>,
    /// Of its columns.
    names: Vec<String>,
    content: Content,
    /// Whether the server closes the connection behind this answer.
    closing: bool,
}

impl Session {
    pub(crate) fn begin(login: Login) -> Self {
        Self {
            login,
            stage: Stage::Opening,
            answer: ReplyBuffer::default(),
            bodiless: false,
            looked: 0,
            trailers: 0,
            refused: None,
            status: 0,
            body: Vec::new(),
            tail: Vec::new(),
            lines: 0,
            tag: Vec::new(),
            names: Vec::new(),
            content: Content::Plain,
            closing: false,
        }
    }

    /// The answer to the last request.
    pub(crate) fn reply(&self) -> Reply<'_> {
        self.answer.reply(&self.names)
    }

    /// Whether no further request may be sent: the server said that it closes the connection.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing
    }

    /// Puts a request into `out`.
    pub(crate) fn send(&mut self, command: &Command, out: &mut BytesMut) -> Result<(), Error> {
        let Command::Simple(text) = command else {
            return Err(Error::Setting(
                "a server of HTTP takes requests, and neither SQL nor keys".to_owned(),
            ));
        };
        if self.closing {
            return Err(Error::protocol("it closes the connection after an answer, and the script goes on"));
        }
        let request = if self.login.sql {
            Request::of_sql(text)
        } else {
            Request::read(text).map_err(Error::Setting)?
        };
        request.write(&self.login, out);
        self.bodiless = request.method == "HEAD";
        self.answer.clear();
        self.stage = Stage::Head;
        self.looked = 0;
        Ok(())
    }

    /// Works off what has arrived, up to the next thing worth telling.
    pub(crate) fn advance(&mut self, inbox: &mut BytesMut) -> Result<Step, Error> {
        loop {
            match self.stage {
                Stage::Opening => {
                    self.stage = Stage::Idle;
                    return Ok(Step::Ready);
                }
                Stage::Idle if inbox.is_empty() => return Ok(Step::Wait),
                Stage::Idle => return Err(Error::protocol("an answer that nobody asked for")),
                Stage::Head => {
                    let Some(end) = self.head_end(inbox)? else { return Ok(Step::Wait) };
                    let head = inbox.split_to(end);
                    self.stage = self.take_head(&head)?;
                    self.looked = 0;
                }
                Stage::Sized(0) => return Ok(self.end()),
                Stage::Sized(left) => match self.take_body(inbox, left) {
                    0 => return Ok(Step::Wait),
                    taken => self.stage = Stage::Sized(left - taken),
                },
                Stage::ChunkLine => match chunk_line(inbox)? {
                    None => return Ok(Step::Wait),
                    Some((end, size)) => {
                        inbox.advance(end);
                        self.trailers = 0;
                        self.stage = if size == 0 { Stage::Trailers } else { Stage::Chunk(size) };
                    }
                },
                Stage::Chunk(0) => self.stage = Stage::ChunkEnd,
                Stage::Chunk(left) => match self.take_body(inbox, left) {
                    0 => return Ok(Step::Wait),
                    taken => self.stage = Stage::Chunk(left - taken),
                },
                Stage::ChunkEnd => {
                    if inbox.len() < 2 {
                        return Ok(Step::Wait);
                    }
                    if &inbox[..2] != b"\r\n" {
                        return Err(Error::protocol("a chunk is longer than it says"));
                    }
                    inbox.advance(2);
                    self.stage = Stage::ChunkLine;
                }
                Stage::Trailers => {
                    let Some(end) = inbox.iter().take(LONGEST_LINE).position(|byte| *byte == b'\n') else {
                        longer("a trailer", inbox.len(), LONGEST_LINE)?;
                        return Ok(Step::Wait);
                    };
                    let last = matches!(&inbox[..end], b"" | b"\r");
                    inbox.advance(end + 1);
                    self.trailers += end + 1;
                    longer("trailers", self.trailers, LONGEST_HEAD)?;
                    if last {
                        return Ok(self.end());
                    }
                }
            }
        }
    }

    /// Where the head ends, if it is whole. Each byte is looked at once, however they trickle in.
    fn head_end(&mut self, inbox: &[u8]) -> Result<Option<usize>, Error> {
        while let Some(at) = inbox[self.looked..].iter().position(|byte| *byte == b'\n') {
            let line = self.looked + at;
            match &inbox[line + 1..] {
                [b'\n', ..] => return Ok(Some(line + 2)),
                [b'\r', b'\n', ..] => return Ok(Some(line + 3)),
                // Whether it is the last line shows when more has come.
                [] | [b'\r'] => {
                    self.looked = line;
                    longer("a head", inbox.len(), LONGEST_HEAD)?;
                    return Ok(None);
                }
                _ => self.looked = line + 1,
            }
        }
        self.looked = inbox.len();
        longer("a head", inbox.len(), LONGEST_HEAD)?;
        Ok(None)
    }

    /// Reads a head: what comes behind it.
    fn take_head(&mut self, head: &[u8]) -> Result<Stage, Error> {
        longer("a head", head.len(), LONGEST_HEAD)?;
        let mut headers = [httparse::EMPTY_HEADER; HEADERS];
        let mut response = httparse::Response::new(&mut headers);
        match response.parse(head) {
            Ok(httparse::Status::Complete(_)) => {}
            Ok(httparse::Status::Partial) => return Err(Error::protocol("a head that is not whole")),
            Err(error) => return Err(Error::protocol(format!("what it sent is no HTTP response: {error}"))),
        }
        let status = response.code.unwrap_or(0);
        match status {
            // The answer comes behind it.
            100 | 102..=199 => return Ok(Stage::Head),
            101 => {
                return Err(Error::protocol(
                    "it speaks another protocol from now on (101), and nobody asked for that",
                ));
            }
            _ => {}
        }
        let mut length: Option<u64> = None;
        let mut tag = Vec::new();
        let (mut rows, mut encoded) = (false, false);
        let (mut chunked, mut kept_alive, mut closed, mut failed) = (false, false, false, false);
        for header in response.headers.iter() {
            let value = header.value.trim_ascii();
            let lists = |word: &[u8]| {
                value.split(|byte| *byte == b',').any(|one| one.trim_ascii().eq_ignore_ascii_case(word))
            };
            if header.name.eq_ignore_ascii_case("content-length") {
                let number = number(value)?;
                if length.replace(number).is_some_and(|before| before != number) {
                    return Err(Error::protocol("two lengths of one body, which differ"));
                }
            } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
                if chunked || !value.eq_ignore_ascii_case(b"chunked") {
                    return Err(Error::protocol("a body in an encoding that nobody asked for"));
                }
                chunked = true;
            } else if header.name.eq_ignore_ascii_case("connection") {
                closed |= lists(b"close");
                kept_alive |= lists(b"keep-alive");
            } else if header.name.eq_ignore_ascii_case("x-clickhouse-exception-code") {
                failed = true;
            } else if header.name.eq_ignore_ascii_case("x-clickhouse-exception-tag") {
                tag = value.to_vec();
            } else if header.name.eq_ignore_ascii_case("content-encoding") {
                encoded = !value.eq_ignore_ascii_case(b"identity");
            } else if header.name.eq_ignore_ascii_case("content-type") {
                rows = value.starts_with(b"text/tab-separated-values");
            }
        }
        if chunked && length.is_some() {
            return Err(Error::protocol("a body that has a length and comes in chunks"));
        }
        self.closing = closed || (response.version == Some(0) && !kept_alive);
        // A redirection is not followed: what was asked for was not answered. An unchanged page is.
        let refused = failed || !self.login.expectations.decide_status() && status >= 300 && status != 304;
        self.status = status;
        self.refused = refused.then(|| (status, response.reason.unwrap_or_default().to_owned()));
        self.body.clear();
        self.tail.clear();
        self.content = match (encoded, rows) {
            (true, _) => Content::Encoded,
            (false, true) => Content::Rows,
            (false, false) => Content::Plain,
        };
        (self.lines, self.tag) = (0, tag);
        Ok(if self.bodiless || matches!(status, 204 | 304) {
            Stage::Sized(0)
        } else if chunked {
            Stage::ChunkLine
        } else if let Some(length) = length {
            Stage::Sized(length)
        } else {
            return Err(Error::protocol(
                "an answer that does not say how long it is, and ends with the connection",
            ));
        })
    }

    /// Takes what has come of a body: how many bytes.
    fn take_body(&mut self, inbox: &mut BytesMut, left: u64) -> u64 {
        let taken = usize::try_from(left).unwrap_or(usize::MAX).min(inbox.len());
        let most = if self.refused.is_some() { ERROR_TEXT } else { KEPT };
        let kept = taken.min(most.saturating_sub(self.body.len()));
        self.body.extend_from_slice(&inbox[..kept]);
        if self.login.sql {
            self.lines += inbox[kept..taken].iter().map(|byte| usize::from(*byte == b'\n')).sum::<usize>();
            self.tail.extend_from_slice(&inbox[taken.saturating_sub(clickhouse::TAIL)..taken]);
            self.tail.drain(..self.tail.len().saturating_sub(clickhouse::TAIL));
        }
        inbox.advance(taken);
        taken as u64
    }

    /// Takes the exception that a refusal is, if it is one of ClickHouse.
    fn refusal(&mut self) -> bool {
        let found = clickhouse::refusal(&String::from_utf8_lossy(&self.body));
        if let Some((code, text)) = &found {
            self.answer.fail(code, text);
        }
        found.is_some()
    }

    /// The answer is whole.
    fn end(&mut self) -> Step {
        self.stage = Stage::Idle;
        match self.refused.take() {
            Some((_, _)) if self.login.sql && self.refusal() => {}
            Some((status, reason)) => {
                let text = String::from_utf8_lossy(&self.body);
                let text = text.split_whitespace().collect::<Vec<&str>>().join(" ");
                self.answer.fail(&status.to_string(), if text.is_empty() { &reason } else { &text });
            }
            None if self.login.sql && self.content == Content::Rows => {
                let (kept, tail, more) = (&self.body, &self.tail, self.lines);
                let body = clickhouse::Body { kept, tail, more, tag: &self.tag };
                clickhouse::read(&body, &mut self.answer, &mut self.names);
            }
            None => match self.login.expectations.broken(
                self.status,
                &self.body,
                self.content == Content::Encoded,
            ) {
                Some(what) if self.status < 300 => self.answer.fail(EXPECT, &what),
                Some(what) => self.answer.fail(&self.status.to_string(), &what),
                None => self.answer.string(&self.body),
            },
        }
        Step::Replied
    }
}

/// The line before a chunk: where it ends, and how many bytes come; nothing if it is not whole.
fn chunk_line(inbox: &[u8]) -> Result<Option<(usize, u64)>, Error> {
    let wrong = || Error::protocol("a chunk without its size");
    match httparse::parse_chunk_size(&inbox[..inbox.len().min(LONGEST_LINE)]).map_err(|_| wrong())? {
        httparse::Status::Complete(found) => Ok(Some(found)),
        httparse::Status::Partial => {
            longer("the line before a chunk", inbox.len(), LONGEST_LINE - 1)?;
            Ok(None)
        }
    }
}

fn number(text: &[u8]) -> Result<u64, Error> {
    let digits = std::str::from_utf8(text)
        .ok()
        .filter(|text| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit()));
    digits.and_then(|digits| digits.parse().ok()).ok_or_else(|| Error::protocol("a length that is no number"))
}

/// Refuses what has more bytes than `most`.
fn longer(what: &str, bytes: usize, most: usize) -> Result<(), Error> {
    if bytes <= most {
        return Ok(());
    }
    Err(Error::Protocol(format!("the server sent {what} of more than {most} bytes")))
}

#[cfg(test)]
mod tests;
