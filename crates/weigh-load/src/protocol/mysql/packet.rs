//! Packets of MySQL's protocol: their frames, and the integers and texts in them.
//!
//! Sources: MySQL's internals manual, "Protocol Basics"; MariaDB's documentation, "Client/Server Protocol". The crate
//! mysql_common has the same and 58 crates with it, which take a minute to build; what a load spends its time on, rows
//! into text without an allocation for each value, it has not.

use bytes::{Buf, BufMut, BytesMut};

use crate::Error;
use crate::protocol::limits;

/// The length at which a payload goes on in the next packet.
pub(super) const LONGEST_FRAME: usize = 0xFF_FFFF;
const HEADER: usize = 4;

/// Payloads as they come.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// The beginning of one that takes several packets.
    pub(super) joined: BytesMut,
    /// The number that the next packet of ours has.
    pub(super) next: u8,
}

/// Where a payload is.
pub(super) enum Payload {
    /// In the inbox, so many bytes behind its header.
    Here(usize),
    /// In several packets, which have been joined.
    Joined(BytesMut),
}

impl Frames {
    /// The next payload, if it is whole. What is in the inbox stays there until [`Frames::done`].
    pub(super) fn next(&mut self, inbox: &mut BytesMut, longest: usize) -> Result<Option<Payload>, Error> {
        loop {
            let Some((length, number)) = header(inbox) else { return Ok(None) };
            limits::check("a packet", self.joined.len() + length, longest)?;
            if inbox.len() < HEADER + length {
                return Ok(None);
            }
            self.next = number.wrapping_add(1);
            if length < LONGEST_FRAME && self.joined.is_empty() {
                return Ok(Some(Payload::Here(length)));
            }
            self.joined.extend_from_slice(&inbox[HEADER..HEADER + length]);
            inbox.advance(HEADER + length);
            if length < LONGEST_FRAME {
                return Ok(Some(Payload::Joined(std::mem::take(&mut self.joined))));
            }
        }
    }

    /// Begins a command: numbers begin anew.
    pub(super) fn begin(&mut self) {
        self.next = 0;
    }

    /// Writes a packet, or as many as its payload needs.
    pub(super) fn write(&mut self, out: &mut BytesMut, write: impl FnOnce(&mut BytesMut)) {
        let begin = out.len();
        out.put_slice(&[0; HEADER]);
        write(out);
        let length = out.len() - begin - HEADER;
        if length < LONGEST_FRAME {
            self.head(&mut out[begin..begin + HEADER], length);
            return;
        }
        let payload = out.split_off(begin + HEADER);
        out.truncate(begin);
        // One of exactly the longest length is followed by an empty one.
        for at in (0..=payload.len()).step_by(LONGEST_FRAME) {
            let piece = &payload[at..payload.len().min(at + LONGEST_FRAME)];
            let mut head = [0; HEADER];
            self.head(&mut head, piece.len());
            out.put_slice(&head);
            out.put_slice(piece);
        }
    }

    fn head(&mut self, head: &mut [u8], length: usize) {
        let length = u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes();
        head[..3].copy_from_slice(&length[..3]);
        head[3] = self.next;
        self.next = self.next.wrapping_add(1);
    }
}

/// Length and number of the packet that begins the inbox.
fn header(inbox: &BytesMut) -> Option<(usize, u8)> {
    let [a, b, c, number, ..] = **inbox else { return None };
    Some((usize::from(a) | usize::from(b) << 8 | usize::from(c) << 16, number))
}

/// The payload of [`Payload::Here`].
pub(super) fn here(inbox: &BytesMut, length: usize) -> &[u8] {
    &inbox[HEADER..HEADER + length]
}

/// Goes behind it.
pub(super) fn done(inbox: &mut BytesMut, length: usize) {
    inbox.advance(HEADER + length);
}

/// Reads a payload from its beginning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Fields<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// How many bytes were read.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// So many bytes.
    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let found = self.rest().get(..count).ok_or_else(|| Error::protocol("a packet ends too early"))?;
        self.at += count;
        Ok(found)
    }

    /// A whole number of so many bytes, eight at most.
    pub(super) fn int(&mut self, bytes: usize) -> Result<u64, Error> {
        let mut number = [0; 8];
        number[..bytes].copy_from_slice(self.take(bytes)?);
        Ok(u64::from_le_bytes(number))
    }

    pub(super) fn byte(&mut self) -> Result<u8, Error> {
        Ok(self.take(1)?[0])
    }

    /// A number that says how long it is; nothing for NULL.
    pub(super) fn length(&mut self) -> Result<Option<usize>, Error> {
        let number = match self.byte()? {
            0xFB => return Ok(None),
            0xFC => self.int(2)?,
            0xFD => self.int(3)?,
            0xFE => self.int(8)?,
            0xFF => return Err(Error::protocol("a length that is none")),
            small => u64::from(small),
        };
        usize::try_from(number).map(Some).map_err(Error::protocol)
    }

    /// Text that begins with its length; nothing for NULL.
    pub(super) fn text(&mut self) -> Result<Option<&'a [u8]>, Error> {
        self.length()?.map(|length| self.take(length)).transpose()
    }

    /// Text up to a zero.
    pub(super) fn zero_ended(&mut self) -> Result<&'a [u8], Error> {
        let end = self.rest().iter().position(|byte| *byte == 0);
        let text = self.take(end.ok_or_else(|| Error::protocol("a text without its end"))?)?;
        self.at += 1;
        Ok(text)
    }
}

/// Puts a text behind its length.
pub(super) fn put_text(out: &mut BytesMut, text: &[u8]) {
    put_length(out, text.len());
    out.put_slice(text);
}

#[expect(clippy::cast_possible_truncation, reason = "each arm has the numbers that fit")]
pub(super) fn put_length(out: &mut BytesMut, length: usize) {
    match length {
        0..=0xFA => out.put_u8(length as u8),
        0xFB..=0xFFFF => {
            out.put_u8(0xFC);
            out.put_u16_le(length as u16);
        }
        0x1_0000..=0xFF_FFFF => {
            out.put_u8(0xFD);
            out.put_uint_le(length as u64, 3);
        }
        _ => {
            out.put_u8(0xFE);
            out.put_u64_le(length as u64);
        }
    }
}

/// The server's word that something is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ok {
    /// Rows that were changed.
    pub(super) affected: u64,
    pub(super) status: u16,
}

impl Ok {
    /// Of a payload, behind its first byte.
    pub(super) fn read(payload: &[u8]) -> Result<Self, Error> {
        let mut fields = Fields::new(payload);
        fields.byte()?;
        let affected = fields.length()?.unwrap_or(0) as u64;
        fields.length()?;
        let status = u16::try_from(fields.int(2)?).unwrap_or(0);
        Result::Ok(Self { affected, status })
    }
}

/// The server's error: its code and its words.
///
/// The code is the SQLSTATE; where that is the one that says nothing (`HY000`), the number of the error.
pub(super) fn error(payload: &[u8]) -> Result<(String, String), Error> {
    let mut fields = Fields::new(payload);
    fields.byte()?;
    let number = fields.int(2)?;
    let mut code = number.to_string();
    // Before the login is done there is none.
    if fields.rest().first() == Some(&b'#') {
        let state = String::from_utf8_lossy(&fields.take(6)?[1..]).into_owned();
        if state != "HY000" {
            code = state;
        }
    }
    Result::Ok((code, String::from_utf8_lossy(fields.rest()).into_owned()))
}
