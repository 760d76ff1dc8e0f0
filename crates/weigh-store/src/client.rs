//! Putting objects into a store, and reading them back.

use std::fs::File;
use std::io::{self, Read, Write};
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

    /// Puts a file's contents under a key; with `new` only where nothing is there, in the store's own judgement.
    /// Whether it was put.
    ///
    /// # Errors
    ///
    /// As [`Client::check`]; [`Error::File`]: it cannot be read, or is larger than 5 GiB.
    pub fn put(&self, path: &Path, key: &str, new: bool) -> Result<bool, Error> {
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
        if new {
            lines.push(("if-none-match".to_owned(), "*".to_owned()));
        }
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
                    Ok(answer) if new && there_already(answer.status) => return Ok(false),
                    Ok(answer) => refused(&format!("PUT {}", self.path(key)), &answer, &mut wire),
                    Err(_) => self.address.unreachable(&error),
                });
            }
            left -= count as u64;
        }
        let answer = wire.answer(false).map_err(broken)?;
        if new && there_already(answer.status) {
            return Ok(false);
        }
        if answer.status >= 300 {
            return Err(refused(&format!("PUT {}", self.path(key)), &answer, &mut wire));
        }
        Ok(true)
    }

    /// Reads a whole object: its size, and BLAKE3 as 64 hex digits. Nothing where there is no such object.
    ///
    /// # Errors
    ///
    /// As [`Client::check`].
    pub fn hash(&self, key: &str) -> Result<Option<(u64, String)>, Error> {
        let mut hasher = blake3::Hasher::new();
        let length = self.read(key, |piece| {
            hasher.update(piece);
            Ok(())
        })?;
        Ok(length.map(|length| (length, hasher.finalize().to_hex().to_string())))
    }

    /// Copies a whole object into a file, which is made or replaced. Whether there is such an object.
    ///
    /// # Errors
    ///
    /// As [`Client::check`]; [`Error::File`]: it cannot be written.
    pub fn get(&self, key: &str, path: &Path) -> Result<bool, Error> {
        let file = |reason| Error::File { path: path.to_owned(), reason };
        let mut target = File::create(path).map_err(file)?;
        let found = self.read(key, |piece| target.write_all(piece).map_err(file))?;
        if found.is_none() {
            std::fs::remove_file(path).map_err(file)?;
        }
        Ok(found.is_some())
    }

    /// Hands over an object piece by piece; its length, and nothing where there is none.
    fn read(
        &self,
        key: &str,
        mut take: impl FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<Option<u64>, Error> {
        let broken = |error: io::Error| self.address.unreachable(&error);
        let (mut wire, answer) = self.ask("GET", key, "")?;
        if answer.status == 404 {
            let error = refused(&format!("GET {}", self.path(key)), &answer, &mut wire);
            return if error.code() == "NoSuchBucket" { Err(error) } else { Ok(None) };
        }
        if answer.status != 200 {
            return Err(refused(&format!("GET {}", self.path(key)), &answer, &mut wire));
        }
        let Body::Length(length) = answer.body else {
            let body = wire.whole(answer.body).map_err(broken)?;
            take(&body)?;
            return Ok(Some(body.len() as u64));
        };
        let mut piece = vec![0; PIECE];
        let mut left = length;
        while left > 0 {
            let count = wire.piece(left, &mut piece).map_err(broken)?;
            take(&piece[..count])?;
            left -= count as u64;
        }
        Ok(Some(length))
    }

    /// The size of an object; nothing where there is none.
    ///
    /// # Errors
    ///
    /// As [`Client::check`].
    pub fn size(&self, key: &str) -> Result<Option<u64>, Error> {
        Ok(self.stat(key)?.map(|(size, _)| size))
    }

    /// The size of an object and the store's own checksum of it (`ETag`, without its quotes); nothing where there is
    /// none.
    ///
    /// # Errors
    ///
    /// As [`Client::check`].
    pub fn stat(&self, key: &str) -> Result<Option<(u64, String)>, Error> {
        let (mut wire, answer) = self.ask("HEAD", key, "")?;
        match answer.status {
            200 => {
                let tag = header(&answer.headers, "etag").unwrap_or_default().trim_matches('"').to_owned();
                let size = header(&answer.headers, "content-length").and_then(|text| text.parse().ok());
                Ok(size.map(|size| (size, tag)))
            }
            404 => Ok(None),
            _ => Err(refused(&format!("HEAD {}", self.path(key)), &answer, &mut wire)),
        }
    }

    /// Removes an object, if there is one.
    ///
    /// # Errors
    ///
    /// As [`Client::check`].
    pub fn remove(&self, key: &str) -> Result<(), Error> {
        let (mut wire, answer) = self.ask("DELETE", key, "")?;
        if answer.status >= 300 && answer.status != 404 {
            return Err(refused(&format!("DELETE {}", self.path(key)), &answer, &mut wire));
        }
        Ok(())
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

/// Whether a store that was to put only what is new says that something is there: 409 while another one puts it.
const fn there_already(status: u16) -> bool {
    matches!(status, 409 | 412)
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
