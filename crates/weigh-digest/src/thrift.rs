//! The parts of Thrift's compact protocol that are needed to see where pages are and whether they have a checksum.
//!
//! The parquet crate checks page checksums and does not show whether there were any; a file without them passes every
//! check, so that the difference matters. Lengths come from the file and may lie: nothing is allocated here, and nothing
//! is read beyond the bytes that are given.

/// Structures within structures that are followed; page headers and footers need five.
const DEPTH: u8 = 16;

/// Types of the compact protocol.
pub(crate) mod kind {
    pub(crate) const TRUE: u8 = 1;
    pub(crate) const FALSE: u8 = 2;
    pub(crate) const BYTE: u8 = 3;
    pub(crate) const I16: u8 = 4;
    pub(crate) const I32: u8 = 5;
    pub(crate) const I64: u8 = 6;
    pub(crate) const DOUBLE: u8 = 7;
    pub(crate) const BINARY: u8 = 8;
    pub(crate) const LIST: u8 = 9;
    pub(crate) const SET: u8 = 10;
    pub(crate) const MAP: u8 = 11;
    pub(crate) const STRUCT: u8 = 12;
    pub(crate) const UUID: u8 = 13;
}

/// Why a structure could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The bytes end before it does: it may be whole with more of them.
    Short,
    /// These bytes are no such structure.
    Malformed,
}

/// A place in bytes of the compact protocol.
pub(crate) struct Compact<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Compact<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Bytes read so far.
    pub(crate) fn read(&self) -> usize {
        self.at
    }

    fn byte(&mut self) -> Result<u8, Fault> {
        let byte = *self.bytes.get(self.at).ok_or(Fault::Short)?;
        self.at += 1;
        Ok(byte)
    }

    fn advance(&mut self, length: u64) -> Result<(), Fault> {
        let left = (self.bytes.len() - self.at) as u64;
        if length > left {
            return Err(Fault::Short);
        }
        self.at += usize::try_from(length).map_err(|_| Fault::Short)?;
        Ok(())
    }

    fn varint(&mut self) -> Result<u64, Fault> {
        let mut value = 0_u64;
        for shift in (0..70).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Fault::Malformed)
    }

    fn integer(&mut self) -> Result<i64, Fault> {
        let value = self.varint()?;
        Ok((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    /// A 32-bit integer, given the type that its field has.
    pub(crate) fn i32(&mut self, found: u8) -> Result<i32, Fault> {
        if found != kind::I32 {
            return Err(Fault::Malformed);
        }
        i32::try_from(self.integer()?).map_err(|_| Fault::Malformed)
    }

    /// Reads a structure: shows `each` the number and the type of every field, whose value it must read or skip.
    pub(crate) fn fields(
        &mut self,
        mut each: impl FnMut(&mut Self, i64, u8) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut number = 0_i64;
        loop {
            let header = self.byte()?;
            if header == 0 {
                return Ok(());
            }
            // The distance to the previous field number stands above the type; 0 is the long form.
            number = match header >> 4 {
                0 => self.integer()?,
                distance => number.saturating_add(distance.into()),
            };
            each(self, number, header & 0x0f)?;
        }
    }

    /// Passes over the value of a field of that type.
    pub(crate) fn skip(&mut self, found: u8) -> Result<(), Fault> {
        self.skip_within(found, DEPTH)
    }

    fn skip_within(&mut self, found: u8, depth: u8) -> Result<(), Fault> {
        let depth = depth.checked_sub(1).ok_or(Fault::Malformed)?;
        match found {
            // The value of a field is its type.
            kind::TRUE | kind::FALSE => Ok(()),
            kind::BYTE => self.advance(1),
            kind::I16 | kind::I32 | kind::I64 => self.varint().map(|_| ()),
            kind::DOUBLE => self.advance(8),
            kind::UUID => self.advance(16),
            kind::BINARY => {
                let length = self.varint()?;
                self.advance(length)
            }
            kind::LIST | kind::SET => {
                let header = self.byte()?;
                let length = match header >> 4 {
                    15 => self.varint()?,
                    short => short.into(),
                };
                // Every member takes a byte at least, so that a length which lies ends with the bytes.
                (0..length).try_for_each(|_| self.skip_member(header & 0x0f, depth))
            }
            kind::MAP => {
                let length = self.varint()?;
                if length == 0 {
                    return Ok(());
                }
                let kinds = self.byte()?;
                (0..length).try_for_each(|_| {
                    self.skip_member(kinds >> 4, depth)?;
                    self.skip_member(kinds & 0x0f, depth)
                })
            }
            kind::STRUCT => self.fields(|inner, _, found| inner.skip_within(found, depth)),
            _ => Err(Fault::Malformed),
        }
    }

    /// A member of a list or map: unlike a field, a boolean takes a byte there.
    fn skip_member(&mut self, found: u8, depth: u8) -> Result<(), Fault> {
        match found {
            kind::TRUE | kind::FALSE => self.advance(1),
            other => self.skip_within(other, depth),
        }
    }
}

/// Values of the fields 1 to `N` of the structure at the start of `bytes`, as far as they are 32-bit integers.
///
/// Reading stops at the first field of another type or with a higher number; the fields after it are `None`.
pub(crate) fn leading_i32<const N: usize>(bytes: &[u8]) -> [Option<i32>; N] {
    let mut found = [None; N];
    // The rest of the structure may be cut off, and nothing of it is wanted.
    let _ = Compact::new(bytes).fields(|inner, number, kind| {
        let place = usize::try_from(number - 1).ok().filter(|place| *place < N).ok_or(Fault::Malformed)?;
        found[place] = Some(inner.i32(kind)?);
        Ok(())
    });
    found
}

#[cfg(test)]
mod tests {
    use super::{Compact, Fault, kind, leading_i32};

    #[test]
    fn reads_a_page_header() {
        // type = 0, sizes 300 and 150, crc = -2, then a structure (data page header).
        let bytes = [0x15, 0x00, 0x15, 0xd8, 0x04, 0x15, 0xac, 0x02, 0x15, 0x03, 0x1c, 0x15];
        assert_eq!(leading_i32::<4>(&bytes), [Some(0), Some(300), Some(150), Some(-2)]);
    }

    #[test]
    fn a_field_may_be_missing() {
        // The header of field 5, a structure, comes two numbers after field 3.
        let bytes = [0x15, 0x00, 0x15, 0xd8, 0x04, 0x15, 0xac, 0x02, 0x2c, 0x15];
        assert_eq!(leading_i32::<4>(&bytes), [Some(0), Some(300), Some(150), None]);
    }

    #[test]
    fn rubbish_is_harmless() {
        assert_eq!(leading_i32::<4>(&[]), [None; 4]);
        assert_eq!(leading_i32::<4>(&[0xf5, 0xff]), [None; 4]);
        assert_eq!(leading_i32::<4>(&[0x15, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), [None; 4]);
    }

    #[test]
    fn what_lies_about_its_length_ends_with_the_bytes() {
        let skipped = |found, bytes: &[u8]| Compact::new(bytes).skip(found);
        // A list of 2^62 booleans; a text of as many bytes; a map of pairs.
        let huge = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f];
        assert_eq!(skipped(kind::LIST, &[&[0xf1], &huge[..]].concat()), Err(Fault::Short));
        assert_eq!(skipped(kind::BINARY, &huge), Err(Fault::Short));
        assert_eq!(skipped(kind::MAP, &[&huge[..], &[0x55]].concat()), Err(Fault::Short));
        assert_eq!(skipped(kind::STRUCT, &[0x1c; 100]), Err(Fault::Malformed));
        assert_eq!(skipped(14, &[0; 20]), Err(Fault::Malformed));
        assert_eq!(skipped(kind::I64, &[0xff; 11]), Err(Fault::Malformed));
    }

    #[test]
    fn a_structure_is_passed_over_whole() {
        // {1: i32 7, 2: [true, false], 3: "ab", 4: {1: double}, 5: {i32: byte}}, then one byte that is not its own.
        let bytes = [
            0x15, 0x0e, 0x19, 0x21, 1, 2, 0x18, 2, b'a', b'b', 0x1c, 0x17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x1b,
            1, 0x53, 2, 3, 0, 0x77,
        ];
        let mut whole = Compact::new(&bytes);
        assert_eq!(whole.skip(kind::STRUCT), Ok(()));
        assert_eq!(whole.read(), bytes.len() - 1);
        for cut in 0..bytes.len() - 2 {
            assert_eq!(Compact::new(&bytes[..cut]).skip(kind::STRUCT), Err(Fault::Short), "{cut}");
        }
    }
}
