//! One connection of an engine: every request is counted, signed anew and passed on.

use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::thread;

use rustls::{ServerConnection, StreamOwned};
use time::OffsetDateTime;

use crate::http::{self, Answer, Body, Headers, PIECE, Request, Wire, header};
use crate::life::UnderWay;
use crate::shared::Shared;
use crate::sign::{Keys, NO_BODY, Signed};
use crate::stream::Stream;
use crate::{Error, uri};

/// What of a request is passed on: everything else is about the connection, or signed by the engine.
const ASKED: [&str; 5] = ["range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since"];
/// What of an answer is not passed on.
const OF_THE_CONNECTION: [&str; 4] = ["connection", "keep-alive", "transfer-encoding", "content-length"];
/// What a listing calls a key, or the beginning of one.
const NAMES: [&str; 6] = ["Key", "Prefix", "Marker", "NextMarker", "StartAfter", "EndMarker"];

/// An answer that is no object of the store: status, code, what is wrong.
type Refusal = (u16, &'static str, String);

/// Serves a connection until one end is done.
pub(crate) fn serve(shared: &Shared, socket: TcpStream) {
    let _ = socket.set_nodelay(true);
    thread::sleep(shared.latency);
    let stream = match &shared.tls {
        None => Stream::Plain(socket),
        Some(config) => match ServerConnection::new(Arc::clone(config)) {
            Ok(session) => Stream::FromEngine(Box::new(StreamOwned::new(session, socket))),
            Err(_) => return,
        },
    };
    let mut near = Wire::new(stream);
    let mut far = None;
    // Whatever breaks on the way, the engine sees its connection end.
    while let Ok(Some(request)) = near.request() {
        if !matches!(answer(shared, &mut near, &mut far, &request), Ok(true)) {
            return;
        }
    }
}

/// Answers a request; whether the connection goes on.
fn answer(shared: &Shared, near: &mut Wire, far: &mut Option<Wire>, request: &Request) -> io::Result<bool> {
    let head = request.method == "HEAD";
    let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    let key = access_key(&request.headers, query);
    let Some(life) = key.and_then(|key| shared.life(&key)) else {
        return refuse(near, head, &(403, "InvalidAccessKeyId", "no life has this access key".to_owned()));
    };
    let mut under_way = life.begin(head);
    thread::sleep(shared.latency);
    match pass_on(shared, near, far, request, path, query, &mut under_way) {
        Ok(goes_on) => Ok(goes_on?),
        Err(refusal) => {
            under_way.failed = true;
            refuse(near, head, &refusal)
        }
    }
}

/// Asks the store, and hands on what it says.
fn pass_on(
    shared: &Shared,
    near: &mut Wire,
    far: &mut Option<Wire>,
    request: &Request,
    path: &str,
    query: &str,
    under_way: &mut UnderWay<'_>,
) -> Result<io::Result<bool>, Refusal> {
    let head = request.method == "HEAD";
    if !head && request.method != "GET" {
        return Err((405, "MethodNotAllowed", "nothing that is measured may change a store".to_owned()));
    }
    let has_body = header(&request.headers, "content-length").is_some_and(|length| length != "0");
    if has_body || header(&request.headers, "transfer-encoding").is_some() {
        return Err((400, "InvalidRequest", "a request that reads has no body".to_owned()));
    }
    if shared.withdrawn() {
        return Err((404, "NoSuchKey", "the data is withdrawn".to_owned()));
    }
    let decoded = uri::decode(path, false);
    let path = String::from_utf8_lossy(&decoded);
    let (bucket, key) =
        path.trim_start_matches('/').split_once('/').unwrap_or((path.trim_start_matches('/'), ""));
    if bucket != shared.target.bucket {
        return Err((404, "NoSuchBucket", format!("there is no bucket '{bucket}'")));
    }
    let root = &under_way.life.root();
    let listing = key.is_empty();
    let (path, query) = if listing {
        (uri::encode(format!("/{bucket}").as_bytes(), true), uri::query(&below(uri::pairs(query), root)))
    } else {
        (uri::encode(format!("/{bucket}/{root}{key}").as_bytes(), true), String::new())
    };
    let asked: Headers =
        request.headers.iter().filter(|(name, _)| ASKED.contains(&name.as_str())).cloned().collect();
    let mut answer = asked_store(shared, far, &request.method, &path, &query, &asked)
        .map_err(|error| unreachable(&error))?;
    under_way.failed = answer.status >= 400;
    let mut said: Headers = answer
        .headers
        .iter()
        .filter(|(name, _)| !OF_THE_CONNECTION.contains(&name.as_str()))
        .cloned()
        .collect();
    if request.last {
        said.push(("connection".to_owned(), "close".to_owned()));
    }
    let status = format!("HTTP/1.1 {} {}", answer.status, answer.reason);
    let store = far.as_mut().expect("it has just answered");
    let whole = !matches!(answer.body, Body::Length(_)) || listing || answer.status >= 400;
    let done = if head {
        // How long the body would be.
        said.extend(answer.headers.iter().filter(|(name, _)| name == "content-length").cloned());
        near.write(&http::lines(&status, &said))
    } else if whole {
        let body = store.whole(answer.body).map_err(|error| {
            answer.last = true;
            (502, "BadGateway", format!("the store's answer ended early: {error}"))
        })?;
        let body = if listing { without(&body, root) } else { body };
        under_way.add_bytes(body.len());
        if let Some(pace) = &shared.pace {
            pace.pass(body.len());
        }
        said.push(("content-length".to_owned(), body.len().to_string()));
        near.write(&http::lines(&status, &said)).and_then(|()| near.write(&body))
    } else {
        let Body::Length(length) = answer.body else { unreachable!("everything else is read whole") };
        said.push(("content-length".to_owned(), length.to_string()));
        near.write(&http::lines(&status, &said)).and_then(|()| relay(shared, store, near, length, under_way))
    };
    if answer.last || done.is_err() {
        // Some of its bytes may be on their way still.
        *far = None;
    }
    Ok(done.map(|()| !request.last))
}

/// Hands on a body, piece by piece; a store that ends it early leaves the engine with a connection that ends too.
fn relay(
    shared: &Shared,
    store: &mut Wire,
    near: &mut Wire,
    length: u64,
    under_way: &mut UnderWay<'_>,
) -> io::Result<()> {
    let mut piece = vec![0; PIECE];
    let mut left = length;
    while left > 0 {
        let count = store.piece(left, &mut piece).inspect_err(|_| under_way.failed = true)?;
        under_way.add_bytes(count);
        if let Some(pace) = &shared.pace {
            pace.pass(count);
        }
        near.write(&piece[..count])?;
        left -= count as u64;
    }
    Ok(())
}

/// The head of the store's answer. A connection that was kept may have been closed meanwhile: then once more.
fn asked_store(
    shared: &Shared,
    far: &mut Option<Wire>,
    method: &str,
    path: &str,
    query: &str,
    asked: &Headers,
) -> Result<Answer, Error> {
    let target = &shared.target;
    let keys = Keys {
        access: &target.access_key,
        secret: &target.secret_key,
        token: &target.token,
        region: &target.region,
    };
    let mut headers = vec![("host".to_owned(), shared.address.host())];
    headers.extend(asked.iter().cloned());
    let signed = keys.sign(Signed { method, path, query, headers, body: NO_BODY }, OffsetDateTime::now_utc());
    let mark = if query.is_empty() { "" } else { "?" };
    let bytes = http::lines(&format!("{method} {path}{mark}{query} HTTP/1.1"), &signed);
    loop {
        let kept = far.is_some();
        let mut wire = match far.take() {
            Some(wire) => wire,
            None => Wire::new(shared.address.connect()?),
        };
        match wire.write(&bytes).and_then(|()| wire.answer(method == "HEAD")) {
            Ok(answer) => {
                *far = Some(wire);
                return Ok(answer);
            }
            Err(_) if kept => {}
            Err(error) => return Err(shared.address.unreachable(&error)),
        }
    }
}

/// A refusal that no engine takes for one that passes by itself: it would try again for minutes.
fn unreachable(error: &Error) -> Refusal {
    (400, "StoreUnreachable", error.to_string())
}

fn refuse(near: &mut Wire, head: bool, (status, code, message): &Refusal) -> io::Result<bool> {
    let message = message.replace('&', "&amp;").replace('<', "&lt;");
    let body = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>{code}</Code><Message>{message}</Message></Error>"
    );
    let headers = [
        ("content-type".to_owned(), "application/xml".to_owned()),
        ("content-length".to_owned(), body.len().to_string()),
        ("connection".to_owned(), "close".to_owned()),
    ];
    near.write(&http::lines(&format!("HTTP/1.1 {status} {code}"), &headers))?;
    if !head {
        near.write(body.as_bytes())?;
    }
    // What else the request brought is not read.
    Ok(false)
}

/// The access key that a request is signed with, in its header or in its query.
fn access_key(headers: &Headers, query: &str) -> Option<String> {
    if let Some(text) = header(headers, "authorization") {
        let (_, rest) = text.split_once("Credential=")?;
        return rest.split(['/', ',']).next().map(str::to_owned);
    }
    let value = uri::pairs(query).into_iter().find(|(name, _)| name == b"X-Amz-Credential")?.1;
    String::from_utf8_lossy(&value).split('/').next().map(str::to_owned)
}

/// A query about the bucket as one about what lies below the root.
fn below(mut pairs: Vec<(Vec<u8>, Vec<u8>)>, root: &str) -> Vec<(Vec<u8>, Vec<u8>)> {
    // The signature in it is the engine's.
    pairs.retain(|(name, _)| !name.starts_with(b"X-Amz-"));
    let about_the_bucket = pairs.iter().any(|(name, _)| name == b"location" || name == b"versioning");
    if root.is_empty() || about_the_bucket {
        return pairs;
    }
    for (name, value) in &mut pairs {
        if matches!(name.as_slice(), b"prefix" | b"marker" | b"start-after") {
            value.splice(0..0, root.bytes());
        }
    }
    if !pairs.iter().any(|(name, _)| name == b"prefix") {
        pairs.push((b"prefix".to_vec(), root.as_bytes().to_vec()));
    }
    pairs
}

/// A listing with the root taken off its keys, which may be percent-encoded there.
fn without(body: &[u8], root: &str) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(body) else { return body.to_vec() };
    let mut text = text.to_owned();
    if root.is_empty() {
        return text.into_bytes();
    }
    for form in [root.to_owned(), uri::encode(root.as_bytes(), true), uri::encode(root.as_bytes(), false)] {
        for name in NAMES {
            text = text.replace(&format!("<{name}>{form}"), &format!("<{name}>"));
        }
    }
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_put_before_what_is_listed_and_taken_off_what_is_found() {
        let pairs = below(uri::pairs("list-type=2&prefix=t%2F&delimiter=%2F"), "w/k/");
        assert_eq!(uri::query(&pairs), "delimiter=%2F&list-type=2&prefix=w%2Fk%2Ft%2F");
        assert_eq!(uri::query(&below(uri::pairs("list-type=2"), "w/")), "list-type=2&prefix=w%2F");
        assert_eq!(uri::query(&below(uri::pairs("location="), "w/")), "location=");
        let found = without(b"<Prefix>w/k/t/</Prefix><Key>w/k/t/a.parquet</Key><Key>w%2Fk%2Ft</Key>", "w/k/");
        assert_eq!(
            String::from_utf8(found).unwrap(),
            "<Prefix>t/</Prefix><Key>t/a.parquet</Key><Key>t</Key>"
        );
    }

    #[test]
    fn the_life_is_known_by_the_header_or_by_the_query() {
        let named = |value: &str| vec![("authorization".to_owned(), value.to_owned())];
        let header =
            named("AWS4-HMAC-SHA256 Credential=ONE/20260101/us-east-1/s3/aws4_request, SignedHeaders=host");
        assert_eq!(access_key(&header, "").as_deref(), Some("ONE"));
        let query = "X-Amz-Credential=TWO%2F20260101%2Fus-east-1%2Fs3%2Faws4_request";
        assert_eq!(access_key(&Vec::new(), query).as_deref(), Some("TWO"));
        assert_eq!(access_key(&named("Bearer x"), ""), None);
    }
}
