//! Values that say what they are: of which key, which field and which version, and whether a byte of them is wrong.
//!
//! ```text
//! VVVVVVKKKKKKKKFFxxxxxxxx...
//! ^     ^       ^ ^ characters derived from the seed, the key, the field and the version
//! |     |       | number of the field, 12 bits
//! |     | number of the key, 48 bits
//! | version, 36 bits: 0 as loaded or inserted, then 1, 2, ... as the writes of the key were issued
//! ```
//!
//! All are letters, digits, `-` and `_` of 6 bits each, so that COPY and RESP need no escapes.

use std::fmt;

use crate::random::{Random, scatter};

use super::range::{Lengths, Range};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const VERSION: usize = 6;
const KEY: usize = 8;
const FIELD: usize = 2;
const HEADER: usize = VERSION + KEY + FIELD;

/// Fewest bytes of a value: the header and 48 bits that have to be right.
pub(crate) const LEAST_BYTES: usize = HEADER + 8;
/// Most fields of a row.
pub(crate) const MOST_FIELDS: u32 = 1000;
/// Most keys, inserted ones included: far more than memory holds.
pub(crate) const MOST_KEYS: u64 = 1 << 47;

/// What is not right about a value by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WrongValue {
    /// Not of this shape at all.
    Unrecognised,
    /// A sound value of another place.
    Misplaced { key: u64, field: u32, version: u32 },
    /// It says that it belongs here, and its bytes are not those of this run.
    Damaged { version: u32 },
}

impl fmt::Display for WrongValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unrecognised => write!(f, "holds a value that this run never wrote"),
            Self::Misplaced { key, field, version } => {
                write!(f, "holds the value of field {field} of key number {key}, version {version}")
            }
            Self::Damaged { version } => {
                write!(f, "holds a value of version {version} with wrong bytes, or of another run")
            }
        }
    }
}

/// The values of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Values {
    pub(crate) seed: u64,
    /// How long they are; a value has one length, which follows from where it belongs.
    pub(crate) bytes: Range,
}

impl Values {
    /// Appends a value.
    pub(crate) fn write(self, key: u64, field: u32, version: u32, out: &mut Vec<u8>) {
        let end = out.len() + self.length(key, field, version);
        push(u64::from(version), VERSION, out);
        push(key, KEY, out);
        push(u64::from(field), FIELD, out);
        let mut state = self.state(key, field, version);
        while out.len() < end {
            state = state.wrapping_add(1);
            push(scatter(state), (end - out.len()).min(8), out);
        }
    }

    /// A value of its own.
    pub(crate) fn make(self, key: u64, field: u32, version: u32) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.longest());
        self.write(key, field, version, &mut out);
        out
    }

    /// The version that a value of this place shows.
    pub(crate) fn read(self, key: u64, field: u32, value: &[u8]) -> Result<u32, WrongValue> {
        let (version, its_key, its_field) = Self::header(value).ok_or(WrongValue::Unrecognised)?;
        if !self.sound(its_key, its_field, version, value) {
            return Err(if (its_key, its_field) == (key, field) {
                WrongValue::Damaged { version }
            } else {
                WrongValue::Unrecognised
            });
        }
        if (its_key, its_field) != (key, field) {
            return Err(WrongValue::Misplaced { key: its_key, field: its_field, version });
        }
        Ok(version)
    }

    /// The key that a value says it is of, unchecked.
    pub(crate) fn key(value: &[u8]) -> Option<u64> {
        Self::header(value).map(|(_, key, _)| key)
    }

    fn header(value: &[u8]) -> Option<(u32, u64, u32)> {
        if value.len() < HEADER {
            return None;
        }
        let version = u32::try_from(pull(&value[..VERSION])?).ok()?;
        let key = pull(&value[VERSION..VERSION + KEY])?;
        let field = u32::try_from(pull(&value[VERSION + KEY..HEADER])?).ok()?;
        Some((version, key, field))
    }

    fn sound(self, key: u64, field: u32, version: u32, value: &[u8]) -> bool {
        if value.len() != self.length(key, field, version) {
            return false;
        }
        let mut state = self.state(key, field, version);
        value[HEADER..].chunks(8).all(|chunk| {
            state = state.wrapping_add(1);
            let mut bits = scatter(state);
            chunk.iter().all(|byte| {
                let right = ALPHABET[(bits & 63) as usize] == *byte;
                bits >>= 6;
                right
            })
        })
    }

    /// Bytes of the longest.
    pub(crate) fn longest(self) -> usize {
        usize::try_from(self.bytes.most).unwrap_or(usize::MAX)
    }

    fn length(self, key: u64, field: u32, version: u32) -> usize {
        let length = match self.bytes.lengths {
            Lengths::Constant => self.bytes.most,
            // Numbers that the characters are not made of.
            _ => self.bytes.draw(&mut Random::new(!self.state(key, field, version))),
        };
        usize::try_from(length).unwrap_or(usize::MAX)
    }

    fn state(self, key: u64, field: u32, version: u32) -> u64 {
        scatter(scatter(self.seed ^ scatter(key)) ^ (u64::from(field) << 32 | u64::from(version)))
    }
}

/// Appends the lowest bits as `count` characters, the lowest first.
#[inline]
fn push(mut bits: u64, count: usize, out: &mut Vec<u8>) {
    for _ in 0..count {
        out.push(ALPHABET[(bits & 63) as usize]);
        bits >>= 6;
    }
}

#[inline]
fn pull(text: &[u8]) -> Option<u64> {
    let mut bits = 0;
    for byte in text.iter().rev() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'-' => 62,
            b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u64::from(digit);
    }
    Some(bits)
}

#[cfg(test)]
mod tests {
    use super::super::key_distribution::Zipf;
    use super::*;

    const VALUES: Values = Values { seed: 11, bytes: Range::constant(100) };

    #[test]
    fn a_value_is_read_back_at_its_place_and_nowhere_else() {
        for (key, field, version) in [(0, 0, 0), (7, 9, 1), (MOST_KEYS - 1, MOST_FIELDS - 1, u32::MAX)] {
            let value = VALUES.make(key, field, version);
            assert_eq!(value.len(), 100);
            assert_eq!(VALUES.read(key, field, &value), Ok(version));
            assert_eq!(Values::key(&value), Some(key));
            assert_eq!(
                VALUES.read(key + 1, field, &value),
                Err(WrongValue::Misplaced { key, field, version })
            );
        }
    }

    #[test]
    fn any_wrong_byte_is_seen() {
        let value = VALUES.make(5, 3, 2);
        for at in 0..value.len() {
            let mut wrong = value.clone();
            wrong[at] = if wrong[at] == b'A' { b'B' } else { b'A' };
            assert!(VALUES.read(5, 3, &wrong).is_err(), "byte {at}");
        }
        assert_eq!(VALUES.read(5, 3, &value[1..]), Err(WrongValue::Unrecognised));
        assert_eq!(VALUES.read(5, 3, b""), Err(WrongValue::Unrecognised));
        let other = Values { seed: 12, bytes: Range::constant(100) };
        assert_eq!(other.read(5, 3, &value), Err(WrongValue::Damaged { version: 2 }));
    }
    #[test]
    fn lengths_follow_their_law_and_are_part_of_the_value() {
        let range = |lengths| Range { least: 24, most: 33, lengths };
        for (lengths, shortest) in [(Lengths::Uniform, 0.1), (Lengths::Zipfian, 1.0 / Zipf::zeta(10))] {
            let values = Values { seed: 3, bytes: range(lengths) };
            let mut counts = [0_u32; 10];
            for key in 0..20_000 {
                let value = values.make(key, 1, 2);
                counts[value.len() - 24] += 1;
                assert_eq!(values.read(key, 1, &value), Ok(2));
                assert!(values.read(key, 1, &value[..value.len() - 1]).is_err());
            }
            let mean = 20_000.0 * shortest;
            // Five standard deviations.
            let near = (f64::from(counts[0]) - mean).abs() < 5.0 * (mean * (1.0 - shortest)).sqrt();
            assert!(near && counts.iter().all(|count| *count > 0), "{lengths:?} {counts:?}");
        }
    }
}
