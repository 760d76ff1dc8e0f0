//! A column chunk read piece by piece: page headers found, contents hashed or passed over.

use std::io;
use std::ops::Range;

use super::{Page, PageKind};
use crate::parquet_file::Positioned;
use crate::thrift::{Compact, Fault, kind};

/// Longest header that is taken for one; the smallest and largest values of a page stand in it.
const HEADER: usize = 16 << 20;

/// A position in a column chunk, and the bytes of the file after it that were read already.
pub(super) struct Window<'a> {
    source: &'a Positioned,
    buffer: &'a mut Vec<u8>,
    /// Bytes read at once.
    piece: usize,
    /// Place in the file of the next byte.
    pub(super) position: u64,
    /// Where the chunk ends.
    end: u64,
    /// The unread part of the buffer.
    from: usize,
    to: usize,
}

impl<'a> Window<'a> {
    pub(super) fn new(
        source: &'a Positioned,
        chunk: Range<u64>,
        piece: usize,
        buffer: &'a mut Vec<u8>,
    ) -> Self {
        Self { source, buffer, piece, position: chunk.start, end: chunk.end, from: 0, to: 0 }
    }

    fn ready(&self) -> &[u8] {
        &self.buffer[self.from..self.to]
    }

    /// Bytes from here to the end of the chunk.
    fn left(&self) -> u64 {
        self.end.saturating_sub(self.position)
    }

    /// Has so many bytes ready, or all there are.
    fn fill(&mut self, wanted: usize) -> io::Result<()> {
        let wanted = usize::try_from(self.left()).unwrap_or(usize::MAX).min(wanted);
        let ready = self.to - self.from;
        if ready >= wanted {
            return Ok(());
        }
        self.buffer.copy_within(self.from..self.to, 0);
        (self.from, self.to) = (0, ready);
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted, 0);
        }
        self.source.read_exact_at(&mut self.buffer[ready..wanted], self.position + ready as u64)?;
        self.to = wanted;
        Ok(())
    }

    /// The header here, behind which the position is then; in the inner result why there is none.
    pub(super) fn page(&mut self) -> io::Result<Result<Page, &'static str>> {
        let start = self.position;
        loop {
            let ready = self.to - self.from;
            match header(self.ready(), start) {
                Ok((page, length)) => {
                    self.consume(length);
                    return Ok(if page.compressed > self.left() {
                        Err("its header announces more bytes than its column has")
                    } else {
                        Ok(page)
                    });
                }
                // Most headers are in the buffer already, behind the page before them.
                Err(Fault::Short) if ready < HEADER && (ready as u64) < self.left() => {
                    self.fill((4 * ready).max(self.piece))?;
                }
                Err(_) => return Ok(Err("there is no page header where one must be")),
            }
        }
    }

    fn consume(&mut self, length: usize) {
        self.from += length;
        self.position += length as u64;
    }

    /// Passes over bytes.
    pub(super) fn pass(&mut self, length: u64) {
        self.position += length;
        let ready = (self.to - self.from) as u64;
        if length >= ready {
            (self.from, self.to) = (0, 0);
        } else {
            self.from += usize::try_from(length).unwrap_or(0);
        }
    }

    /// CRC-32 of the next bytes, which it passes over.
    pub(super) fn checksum(&mut self, mut length: u64) -> io::Result<u32> {
        let mut hasher = crc32fast::Hasher::new();
        while length > 0 {
            if self.from == self.to {
                self.fill(self.piece)?;
            }
            let piece = usize::try_from(length).unwrap_or(usize::MAX).min(self.to - self.from);
            hasher.update(&self.buffer[self.from..self.from + piece]);
            self.consume(piece);
            length -= piece as u64;
        }
        Ok(hasher.finalize())
    }
}

/// The page header at the start of `bytes`, which lie at `start` in the file, and its length.
fn header(bytes: &[u8], start: u64) -> Result<(Page, usize), Fault> {
    let mut compact = Compact::new(bytes);
    let (mut of, mut uncompressed, mut compressed, mut checksum) = (None, None, None, None);
    let (mut values, mut encoding, mut levels, mut packed) = (None, 0, 0_i64, true);
    compact.fields(|inner, number, found| {
        match number {
            1 => of = Some(inner.i32(found)?),
            2 => uncompressed = Some(inner.i32(found)?),
            3 => compressed = Some(inner.i32(found)?),
            4 => checksum = Some(inner.i32(found)?.cast_unsigned()),
            // Headers of data pages, of dictionaries, of data pages of version 2: the first field counts values.
            5 | 7 | 8 if found == kind::STRUCT => {
                let second = number == 8;
                inner.fields(|deeper, field, found| {
                    match field {
                        1 => values = Some(deeper.i32(found)?),
                        2 if !second => encoding = deeper.i32(found)?,
                        4 if second => encoding = deeper.i32(found)?,
                        // Lengths of the definition and the repetition levels.
                        5 | 6 if second => levels += i64::from(deeper.i32(found)?),
                        7 if second => {
                            packed = found != kind::FALSE;
                            deeper.skip(found)?;
                        }
                        _ => deeper.skip(found)?,
                    }
                    Ok(())
                })?;
            }
            _ => inner.skip(found)?,
        }
        Ok(())
    })?;
    let size = |value: Option<i32>| value.and_then(|one| u64::try_from(one).ok()).ok_or(Fault::Malformed);
    let of = of.ok_or(Fault::Malformed)?;
    let length = compact.read();
    let page = Page {
        kind: match of {
            0 | 3 => PageKind::Data,
            2 => PageKind::Dictionary,
            _ => PageKind::Other,
        },
        version: if of == 3 { 2 } else { 1 },
        header: start,
        contents: start + length as u64,
        compressed: size(compressed)?,
        uncompressed: size(uncompressed)?,
        values: values.and_then(|one| u64::try_from(one).ok()).unwrap_or(0),
        encoding: encoding_name(encoding),
        // Negative ones are more than any page has.
        levels: u64::try_from(levels).unwrap_or(u64::MAX),
        packed,
        checksum,
    };
    Ok((page, length))
}

/// An encoding as the format names it.
fn encoding_name(number: i32) -> &'static str {
    match number {
        0 => "PLAIN",
        2 => "PLAIN_DICTIONARY",
        3 => "RLE",
        4 => "BIT_PACKED",
        5 => "DELTA_BINARY_PACKED",
        6 => "DELTA_LENGTH_BYTE_ARRAY",
        7 => "DELTA_BYTE_ARRAY",
        8 => "RLE_DICTIONARY",
        9 => "BYTE_STREAM_SPLIT",
        _ => "another",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header of a data page of 3 values in 10 bytes, with a checksum.
    const HEAD: [u8; 15] = [0x15, 0, 0x15, 40, 0x15, 20, 0x15, 8, 0x1c, 0x15, 6, 0x15, 0, 0, 0];

    #[test]
    fn a_header_is_read() {
        let (page, length) = header(&HEAD, 100).unwrap();
        assert_eq!(length, HEAD.len());
        assert_eq!((page.kind, page.header, page.contents), (PageKind::Data, 100, 115));
        assert_eq!((page.compressed, page.uncompressed, page.values), (10, 20, 3));
        assert_eq!((page.encoding, page.checksum, page.version), ("PLAIN", Some(4), 1));
        assert_eq!((page.levels, page.packed), (0, true));
    }

    #[test]
    fn a_header_of_version_2_is_read() {
        // 3 values, encoding 8, 2 + 1 bytes of levels, which stand before what is not compressed.
        let head = [0x15, 6, 0x15, 40, 0x15, 20, 0x5c, 0x15, 6, 0x35, 16, 0x15, 4, 0x15, 2, 0x12, 0, 0];
        let (page, length) = header(&head, 0).unwrap();
        assert_eq!((length, page.version, page.encoding), (head.len(), 2, "RLE_DICTIONARY"));
        assert_eq!((page.values, page.levels, page.packed), (3, 3, false));
    }

    #[test]
    fn a_header_cut_short_is_not_called_wrong() {
        for cut in 0..HEAD.len() {
            assert_eq!(header(&HEAD[..cut], 0).unwrap_err(), Fault::Short, "{cut}");
        }
    }

    #[test]
    fn a_negative_size_is_no_page() {
        let mut head = HEAD;
        head[5] = 21;
        assert_eq!(header(&head, 0).unwrap_err(), Fault::Malformed);
        assert_eq!(header(&[0], 0).unwrap_err(), Fault::Malformed);
    }
}
