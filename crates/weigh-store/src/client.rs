//! Putting objects into a store, and reading them back.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use ring::digest;
use time::OffsetDateTime;

use crate::config::Target;
use crate::http::{self, Answer, Body, PIECE, Wire, header};
use crate::sign::{Keys, NO_BODY, Signed, hex};
use crate::stream::Address;
use crate::{Error, uri};

/// What the protocol allows in one request.
const LARGEST: u64 = 5 << 30;

/// Reads and writes objects of one bucket, one request after the other.
pub struct Client {
    target: Target,
    address: Address,
}

impl Client {
    /// A client; nothing is connected yet.
    ///
    /// # Errors
    ///
    /// [`Error::Endpoint`], [`Error::Tls`]: the store's address or its authorities cannot be used.
    pub fn new(target: Target) -> Result<Self, Error> {
        let address = Address::new(&target.endpoint, target.ca.as_deref())?;
        Ok(Self { target, address })
    }

    /// Asks whether the bucket is there and may be listed.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`]: it is not, or the keys do not open it. [`Error::Unreachable`]: nobody answers.
    pub fn check(&self) -> Result<(), Error> {
        self.small("GET", "", "list-type=2&max-keys=1").map(drop)
    }

    /// Makes the bucket.
    ///
    /// # Errors
    ///
    /// As [`Client::check`].
    pub fn make_bucket(&self) -> Result<(), Error> {
        self.small("PUT", "", "").map(drop)
    }

    /// Puts a file's contents under a key.
    ///
    /// # Errors
    ///
    /// As [`Client::check`]; [`Error::File`]: it cannot be read, or is larger than 5 GiB.
    pub fn put(&self, path: &Path, key: &str) -> Result<(), Error> {
        let file = |reason| Error::File { path: path.to_owned(), reason };
        let (length, body) = sha256(path).map_err(file)?;
        if length > LARGEST {
            return Err(file(io::Error::other("an object is put in one request, which S3 limits to 5 GiB")));
        }
        let name = uri::encode(self.path(key).as_bytes(), true);
        let mut wire = Wire::new(self.address.connect()?);
        let broken = |error: io::Error| self.address.unreachable(&error);
        let mut lines = self.signed("PUT", &name, "", &body);
        lines.push(("content-length".to_owned(), length.to_string()));
        wire.write(&http::lines(&format!("PUT {name} HTTP/1.1"), &lines)).map_err(broken)?;
        let mut left = length;
        let mut source = File::open(path).map_err(file)?;
        let mut piece = vec![0; PIECE];
        while left > 0 {
            let count = source.read(&mut piece).map_err(file)?;
            if count == 0 || count as u64 > left {
                return Err(file(io::Error::other("it changed while it was read")));
            }
            if let Err(error) = wire.write(&piece[..count]) {
                // A store that refuses says so and closes the connection, with the rest of the body on its way.
                return Err(match wire.answer(false) {
                    Ok(answer) => refused(&format!("PUT {}", self.path(key)), &answer, &mut wire),
                    Err(_) => self.address.unreachable(&error),
                });
            }
            left -= count as u64;
        }
        let answer = wire.answer(false).map_err(broken)?;
        if answer.status >= 300 {
            return Err(refused(&format!("PUT {}", self.path(key)), &answer, &mut wire));
        }
        Ok(())
    }

    /// Reads a whole object: its size, and BLAKE3 as 64 hex digits. Nothing where there is no such object.
    ///
    /// # Errors
    ///
    /// As [`Client::check`].
    pub fn hash(&self, key: &str) -> Result<Option<(u64, String)>, Error> {
        let broken = |error: io::Error| self.address.unreachable(&error);
        let (mut wire, answer) = self.ask("GET", key, "")?;
        if answer.status == 404 {
            let error = refused(&format!("GET {}", self.path(key)), &answer, &mut wire);
            return if error.code() == "NoSuchBucket" { Err(error) } else { Ok(None) };
        }
        if answer.status != 200 {
            return Err(refused(&format!("GET {}", self.path(key)), &answer, &mut wire));
        }
        let mut hasher = blake3::Hasher::new();
        let Body::Length(length) = answer.body else {
            let body = wire.whole(answer.body).map_err(broken)?;
            hasher.update(&body);
            return Ok(Some((body.len() as u64, hasher.finalize().to_hex().to_string())));
        };
        let mut piece = vec![0; PIECE];
        let mut left = length;
        while left > 0 {
            let count = wire.piece(left, &mut piece).map_err(broken)?;
            hasher.update(&piece[..count]);
            left -= count as u64;
        }
        Ok(Some((length, hasher.finalize().to_hex().to_string())))
    }

    /// The size of an object; nothing where there is none.
    ///
    /// # Errors
    ///
    /// As [`Client::check`].
    pub fn size(&self, key: &str) -> Result<Option<u64>, Error> {
        let (mut wire, answer) = self.ask("HEAD", key, "")?;
        match answer.status {
            200 => Ok(header(&answer.headers, "content-length").and_then(|text| text.parse().ok())),
            404 => Ok(None),
            _ => Err(refused(&format!("HEAD {}", self.path(key)), &answer, &mut wire)),
        }
    }

    fn path(&self, key: &str) -> String {
        if key.is_empty() {
            format!("/{}", self.target.bucket)
        } else {
            format!("/{}/{key}", self.target.bucket)
        }
    }

    /// A request without a body whose answer is short; its status is below 300.
    fn small(&self, method: &str, key: &str, query: &str) -> Result<Vec<u8>, Error> {
        let (mut wire, answer) = self.ask(method, key, query)?;
        if answer.status >= 300 {
            return Err(refused(&format!("{method} {}", self.path(key)), &answer, &mut wire));
        }
        wire.whole(answer.body).map_err(|error| self.address.unreachable(&error))
    }

    fn ask(&self, method: &str, key: &str, query: &str) -> Result<(Wire, Answer), Error> {
        let name = uri::encode(self.path(key).as_bytes(), true);
        let mark = if query.is_empty() { "" } else { "?" };
        let mut lines = self.signed(method, &name, query, NO_BODY);
        if method == "PUT" {
            lines.push(("content-length".to_owned(), "0".to_owned()));
        }
        let head = http::lines(&format!("{method} {name}{mark}{query} HTTP/1.1"), &lines);
        let mut wire = Wire::new(self.address.connect()?);
        let answer = wire.write(&head).and_then(|()| wire.answer(method == "HEAD"));
        Ok((wire, answer.map_err(|error| self.address.unreachable(&error))?))
    }

    fn signed(&self, method: &str, path: &str, query: &str, body: &str) -> Vec<(String, String)> {
        let target = &self.target;
        let keys = Keys {
            access: &target.access_key,
            secret: &target.secret_key,
            token: &target.token,
            region: &target.region,
        };
        let headers = vec![("host".to_owned(), self.address.host())];
        let mut lines = keys.sign(Signed { method, path, query, headers, body }, OffsetDateTime::now_utc());
        lines.push(("connection".to_owned(), "close".to_owned()));
        lines
    }
}

/// Why the store refused, in its own words.
fn refused(what: &str, answer: &Answer, wire: &mut Wire) -> Error {
    let body =
        if what.starts_with("HEAD") { Vec::new() } else { wire.whole(answer.body).unwrap_or_default() };
    let text = String::from_utf8_lossy(&body);
    Error::Refused {
        what: what.to_owned(),
        status: answer.status,
        code: http::tag(&text, "Code"),
        message: http::tag(&text, "Message"),
    }
}

/// Length and SHA-256 of a file.
fn sha256(path: &Path) -> io::Result<(u64, String)> {
    let mut file = File::open(path)?;
    let mut context = digest::Context::new(&digest::SHA256);
    let mut piece = vec![0; 1 << 20];
    let mut length = 0;
    loop {
        let count = file.read(&mut piece)?;
        if count == 0 {
            return Ok((length, hex(context.finish().as_ref())));
        }
        context.update(&piece[..count]);
        length += count as u64;
    }
}
