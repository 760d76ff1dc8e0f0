//! Frames of Cassandra's native protocol, version 4, and what stands in them: integers, texts, bytes.
//!
//! Source: "CQL BINARY PROTOCOL v4" in Cassandra's documentation. The crate scylla-cql has the same; with it come 17
//! crates more, an executor and three compressors among them, to read frames from sockets that a session has not. What a
//! load spends its time on, rows into text without an allocation for each value, it does not do.

use bytes::{Buf, BufMut, BytesMut};

use crate::Error;
use crate::protocol::limits;

/// Of a request, and of an answer.
const REQUEST: u8 = 0x04;
const ANSWER: u8 = 0x84;
const HEADER: usize = 9;

/// Kinds of frames.
pub(super) mod opcode {
    pub(in super::super) const ERROR: u8 = 0x00;
    pub(in super::super) const STARTUP: u8 = 0x01;
    pub(in super::super) const READY: u8 = 0x02;
    pub(in super::super) const AUTHENTICATE: u8 = 0x03;
    pub(in super::super) const QUERY: u8 = 0x07;
    pub(in super::super) const RESULT: u8 = 0x08;
    pub(in super::super) const PREPARE: u8 = 0x09;
    pub(in super::super) const EXECUTE: u8 = 0x0A;
    pub(in super::super) const EVENT: u8 = 0x0C;
    pub(in super::super) const AUTH_CHALLENGE: u8 = 0x0E;
    pub(in super::super) const AUTH_RESPONSE: u8 = 0x0F;
    pub(in super::super) const AUTH_SUCCESS: u8 = 0x10;
}

/// Flags of a frame: what stands before its body.
mod flag {
    pub(super) const COMPRESSED: u8 = 0x01;
    pub(super) const TRACED: u8 = 0x02;
    pub(super) const PAYLOAD: u8 = 0x04;
    pub(super) const WARNINGS: u8 = 0x08;
}

/// A frame that has come whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    pub(super) kind: u8,
    flags: u8,
    length: usize,
}

impl Header {
    /// Of the frame that begins the inbox, once all of it is there.
    pub(super) fn next(inbox: &BytesMut, longest: usize) -> Result<Option<Self>, Error> {
        let Some((head, rest)) = inbox.split_first_chunk::<HEADER>() else {
            // What is no such server is known by its first byte.
            return match inbox.first() {
                Some(version) if *version != ANSWER => Err(version_of(*version)),
                _ => Ok(None),
            };
        };
        let [version, flags, _, _, kind, a, b, c, d] = *head;
        if version != ANSWER {
            return Err(version_of(version));
        }
        let length = usize::try_from(u32::from_be_bytes([a, b, c, d])).map_err(Error::protocol)?;
        limits::check("a frame", length, longest)?;
        Ok((rest.len() >= length).then_some(Self { kind, flags, length }))
    }

    /// Its body, behind what the server says besides.
    pub(super) fn body<'a>(&self, inbox: &'a BytesMut) -> Result<Fields<'a>, Error> {
        let mut fields = Fields::new(&inbox[HEADER..HEADER + self.length]);
        if self.flags & flag::COMPRESSED != 0 {
            return Err(Error::protocol("a compressed frame that nobody asked for"));
        }
        if self.flags & flag::TRACED != 0 {
            fields.take(16)?;
        }
        if self.flags & flag::WARNINGS != 0 {
            for _ in 0..fields.short()? {
                fields.string()?;
            }
        }
        if self.flags & flag::PAYLOAD != 0 {
            for _ in 0..fields.short()? {
                fields.string()?;
                fields.bytes()?;
            }
        }
        Ok(fields)
    }

    /// Goes behind it.
    pub(super) fn done(&self, inbox: &mut BytesMut) {
        inbox.advance(HEADER + self.length);
    }
}

fn version_of(version: u8) -> Error {
    Error::protocol(format!(
        "the byte {version:#04x} where a frame of CQL's protocol, version 4, begins with {ANSWER:#04x}"
    ))
}

/// Writes a frame.
pub(super) fn put_frame(out: &mut BytesMut, stream: i16, kind: u8, write: impl FnOnce(&mut BytesMut)) {
    let begin = out.len();
    out.put_slice(&[REQUEST, 0]);
    out.put_i16(stream);
    out.put_u8(kind);
    out.put_u32(0);
    write(out);
    let length = u32::try_from(out.len() - begin - HEADER).unwrap_or(u32::MAX);
    out[begin + HEADER - 4..begin + HEADER].copy_from_slice(&length.to_be_bytes());
}

/// Puts a text behind its length in two bytes.
pub(super) fn put_string(out: &mut BytesMut, text: &[u8]) {
    out.put_u16(u16::try_from(text.len()).unwrap_or(u16::MAX));
    out.put_slice(text);
}

/// Puts bytes behind their length in four.
pub(super) fn put_bytes(out: &mut BytesMut, bytes: &[u8]) {
    out.put_u32(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
    out.put_slice(bytes);
}

/// Reads from the beginning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'a> {
    bytes: &'a [u8],
}

impl<'a> Fields<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// What has not been read.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes
    }

    /// So many bytes.
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let (found, rest) = self.bytes.split_at_checked(count).ok_or_else(too_short)?;
        self.bytes = rest;
        Ok(found)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let (found, rest) = self.bytes.split_first_chunk().ok_or_else(too_short)?;
        self.bytes = rest;
        Ok(*found)
    }

    pub(super) fn short(&mut self) -> Result<u16, Error> {
        self.array().map(u16::from_be_bytes)
    }

    pub(super) fn int(&mut self) -> Result<i32, Error> {
        self.array().map(i32::from_be_bytes)
    }

    /// How many there are of something.
    pub(super) fn count(&mut self) -> Result<usize, Error> {
        usize::try_from(self.int()?).map_err(|_| Error::protocol("a number below zero of columns or rows"))
    }

    /// A text behind its length in two bytes.
    pub(super) fn string(&mut self) -> Result<&'a [u8], Error> {
        let length = self.short()?;
        self.take(usize::from(length))
    }

    /// The same as text.
    pub(super) fn text(&mut self) -> Result<String, Error> {
        Ok(String::from_utf8_lossy(self.string()?).into_owned())
    }

    /// Bytes behind their length in four; nothing for NULL.
    pub(super) fn bytes(&mut self) -> Result<Option<&'a [u8]>, Error> {
        match usize::try_from(self.int()?) {
            Ok(length) => self.take(length).map(Some),
            Err(_) => Ok(None),
        }
    }
}

fn too_short() -> Error {
    Error::protocol("a frame ends too early")
}
