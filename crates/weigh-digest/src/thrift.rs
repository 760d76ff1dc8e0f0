//! The leading integers of a Thrift compact structure: enough to see whether a page has a checksum.
//!
//! The parquet crate checks page checksums and does not show whether there were any; a file without them passes every
//! check, so that the difference matters.

/// Values of the fields 1 to `N` of the structure at the start of `bytes`, as far as they are 32-bit integers.
///
/// Reading stops at the first field of another type or with a higher number; the fields after it are `None`.
pub(crate) fn leading_i32<const N: usize>(bytes: &[u8]) -> [Option<i32>; N] {
    const I32: u8 = 5;
    let mut fields = [None; N];
    let mut bytes = bytes.iter().copied();
    let mut number = 0_usize;
    // A field header holds the distance to the previous field number above the type; distance 0 is the long form.
    while let Some(header) = bytes.next() {
        number += usize::from(header >> 4);
        if header & 0x0f != I32 || header >> 4 == 0 || number > N {
            break;
        }
        let Some(value) = zigzag(&mut bytes) else { break };
        fields[number - 1] = Some(value);
    }
    fields
}

/// A variable-length integer of at most 32 bits, sign in its lowest bit.
fn zigzag(bytes: &mut impl Iterator<Item = u8>) -> Option<i32> {
    let mut value = 0_u32;
    for shift in (0..35).step_by(7) {
        let byte = bytes.next()?;
        value |= u32::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some((value >> 1).cast_signed() ^ -(value & 1).cast_signed());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::leading_i32;

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
}
