//! As much of HTTP/1.1 as a proxy of GETs and HEADs needs.

use std::io::{self, ErrorKind, Read, Write};

use crate::stream::Stream;

const LONGEST_HEAD: usize = 64 << 10;
const LONGEST_LIST: usize = 64 << 20;
const MOST_HEADERS: usize = 128;
pub(crate) const PIECE: usize = 64 << 10;

/// Names in small letters.
pub(crate) type Headers = Vec<(String, String)>;

/// The value of a header; nothing where there is none.
pub(crate) fn header<'a>(headers: &'a Headers, name: &str) -> Option<&'a str> {
    headers.iter().find(|(one, _)| one == name).map(|(_, value)| value.as_str())
}

/// The head of a request.
pub(crate) struct Request {
    pub(crate) method: String,
    /// As it was sent, with its query.
    pub(crate) target: String,
    pub(crate) headers: Headers,
    /// Whether the connection ends with the answer.
    pub(crate) last: bool,
}

/// The head of an answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) reason: String,
    pub(crate) headers: Headers,
    pub(crate) body: Body,
    /// Whether the connection ends with it.
    pub(crate) last: bool,
}

/// How long a body is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Body {
    Length(u64),
    Chunked,
    UntilTheEnd,
}

/// A connection, and what has come that nobody has read.
pub(crate) struct Wire {
    stream: Stream,
    unread: Vec<u8>,
}

impl Wire {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream, unread: Vec::new() }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)?;
        self.stream.flush()
    }

    /// The next request; nothing where the other end is done.
    pub(crate) fn request(&mut self) -> io::Result<Option<Request>> {
        loop {
            let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
            let mut request = httparse::Request::new(&mut headers);
            if let httparse::Status::Complete(length) = request.parse(&self.unread).map_err(malformed)? {
                let headers = owned(request.headers);
                let close =
                    header(&headers, "connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
                let found = Request {
                    method: request.method.unwrap_or_default().to_owned(),
                    target: request.path.unwrap_or_default().to_owned(),
                    last: close || request.version != Some(1),
                    headers,
                };
                self.unread.drain(..length);
                return Ok(Some(found));
            }
            if self.more()? == 0 {
                return if self.unread.is_empty() { Ok(None) } else { Err(ErrorKind::UnexpectedEof.into()) };
            }
        }
    }

    /// The head of the next answer, to a HEAD or to something else.
    pub(crate) fn answer(&mut self, to_head: bool) -> io::Result<Answer> {
        loop {
            let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
            let mut answer = httparse::Response::new(&mut headers);
            if let httparse::Status::Complete(length) = answer.parse(&self.unread).map_err(malformed)? {
                let status = answer.code.unwrap_or_default();
                let reason = answer.reason.unwrap_or_default().to_owned();
                let headers = owned(answer.headers);
                let close =
                    header(&headers, "connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
                let last = close || answer.version != Some(1);
                self.unread.drain(..length);
                if status == 100 {
                    continue;
                }
                let body = if to_head || status == 204 || status == 304 {
                    Body::Length(0)
                } else if header(&headers, "transfer-encoding").is_some() {
                    Body::Chunked
                } else if let Some(text) = header(&headers, "content-length") {
                    Body::Length(text.parse().map_err(malformed)?)
                } else {
                    Body::UntilTheEnd
                };
                return Ok(Answer { status, reason, headers, body, last: last || body == Body::UntilTheEnd });
            }
            if self.more()? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
    }

    /// The next piece of a body that has so many bytes left.
    pub(crate) fn piece(&mut self, left: u64, into: &mut [u8]) -> io::Result<usize> {
        let most = into.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        if self.unread.is_empty() {
            let count = self.stream.read(&mut into[..most])?;
            return if count == 0 { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(count) };
        }
        let count = most.min(self.unread.len());
        into[..count].copy_from_slice(&self.unread[..count]);
        self.unread.drain(..count);
        Ok(count)
    }

    /// A whole body that is no object: a listing, or words about an error.
    pub(crate) fn whole(&mut self, body: Body) -> io::Result<Vec<u8>> {
        match body {
            Body::Length(length) => {
                let length = usize::try_from(length).ok().filter(|length| *length <= LONGEST_LIST);
                let length = length.ok_or_else(|| malformed("a listing of more than 64 MiB"))?;
                while self.unread.len() < length {
                    if self.more()? == 0 {
                        return Err(ErrorKind::UnexpectedEof.into());
                    }
                }
                Ok(self.unread.drain(..length).collect())
            }
            Body::Chunked => self.chunks(),
            Body::UntilTheEnd => {
                while self.more()? > 0 {
                    if self.unread.len() > LONGEST_LIST {
                        return Err(malformed("a listing of more than 64 MiB"));
                    }
                }
                Ok(std::mem::take(&mut self.unread))
            }
        }
    }

    fn chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let (start, length) = loop {
                match httparse::parse_chunk_size(&self.unread) {
                    Ok(httparse::Status::Complete((start, length))) => break (start, length),
                    Ok(httparse::Status::Partial) => {}
                    Err(_) => return Err(malformed("the length of a chunk")),
                }
                if self.more()? == 0 {
                    return Err(ErrorKind::UnexpectedEof.into());
                }
            };
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            if body.len().saturating_add(length) > LONGEST_LIST {
                return Err(malformed("a listing of more than 64 MiB"));
            }
            // The last one has no bytes; a trailer may stand before the empty line.
            let end = start + length + 2;
            while self.unread.len() < end {
                if self.more()? == 0 {
                    return Err(ErrorKind::UnexpectedEof.into());
                }
            }
            body.extend_from_slice(&self.unread[start..start + length]);
            self.unread.drain(..end);
            if length == 0 {
                return Ok(body);
            }
        }
    }

    fn more(&mut self) -> io::Result<usize> {
        if self.unread.len() > LONGEST_LIST + LONGEST_HEAD {
            return Err(malformed("more than anybody asked for"));
        }
        let mut piece = [0; 16 << 10];
        let count = loop {
            match self.stream.read(&mut piece) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.unread.extend_from_slice(&piece[..count]);
        Ok(count)
    }
}

fn owned(headers: &[httparse::Header<'_>]) -> Headers {
    headers
        .iter()
        .map(|one| (one.name.to_ascii_lowercase(), String::from_utf8_lossy(one.value).into_owned()))
        .collect()
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn malformed(why: impl ToString) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why.to_string())
}

/// The lines of a head.
pub(crate) fn lines(first: &str, headers: &[(String, String)]) -> Vec<u8> {
    let mut text = format!("{first}\r\n");
    for (name, value) in headers {
        text.extend([name, ": ", value, "\r\n"]);
    }
    text.push_str("\r\n");
    text.into_bytes()
}

/// What an answer's XML says in `<TAG>`; empty where it does not.
pub(crate) fn tag(body: &str, name: &str) -> String {
    let after = body.split_once(&format!("<{name}>")).map_or("", |(_, rest)| rest);
    after.split_once(&format!("</{name}>")).map_or(String::new(), |(text, _)| text.to_owned())
}
