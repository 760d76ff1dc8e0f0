//! How one value is written: a tag and one or two words.
//!
//! The table of tags and the hash of a row are specified in the [crate documentation](crate).

use arrow_buffer::i256;
use xxhash_rust::xxh3::xxh3_128;

/// Decimals that a number is written with if it has no more.
const PLACES: u8 = 4;

/// Longest value of bytes that is written as it is.
pub(crate) const SHORT: usize = 12;

/// Tags of the kinds. Tags 0 to 76 are numbers: the tag of a number is its scale.
pub(crate) mod tag {
    pub(crate) const NULL: u8 = 0x80;
    pub(crate) const BOOL: u8 = 0x81;
    pub(crate) const WIDE_NUMBER: u8 = 0x82;
    pub(crate) const FLOAT: u8 = 0x83;
    pub(crate) const SHORT_BYTES: u8 = 0x84;
    pub(crate) const LONG_BYTES: u8 = 0x85;
    /// The first of four: see [`Unit`](super::Unit).
    pub(crate) const INSTANT: u8 = 0x86;
    /// The first of four.
    pub(crate) const DURATION: u8 = 0x8a;
    pub(crate) const TIME: u8 = 0x8e;
    pub(crate) const INTERVAL: u8 = 0x8f;
    pub(crate) const LIST: u8 = 0x90;
    pub(crate) const STRUCT: u8 = 0x91;
    pub(crate) const MAP: u8 = 0x92;
    pub(crate) const ROW: u8 = 0x93;
}

/// What a tag of an instant or a duration grows by with the unit of its word.
#[derive(Clone, Copy)]
enum Unit {
    Microsecond = 0,
    Nanosecond = 1,
    Millisecond = 2,
    Second = 3,
}

/// An encoded value. The tag says whether there is a second word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) tag: u8,
    pub(crate) word: u64,
    pub(crate) second: Option<u64>,
}

impl Slot {
    pub(crate) const NULL: Self = Self::one(tag::NULL, 0);

    #[inline]
    pub(crate) const fn one(tag: u8, word: u64) -> Self {
        Self { tag, word, second: None }
    }

    /// The low half of `words` is the first.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "halves are meant")]
    pub(crate) const fn two(tag: u8, words: u128) -> Self {
        Self { tag, word: words as u64, second: Some((words >> 64) as u64) }
    }

    #[inline]
    fn signed(tag: u8, value: i64) -> Self {
        Self::one(tag, value.cast_unsigned())
    }

    /// `coefficient / 10^scale` with four decimals if that is exact and fits, else with as few as possible, so that
    /// 5, 5.0 and 5.00 are one value. Mostly that is one multiplication, where without the four it were divisions.
    #[inline]
    pub(crate) fn number(coefficient: i64, scale: u8) -> Self {
        let at_places = [10_000, 1_000, 100, 10, 1].get(usize::from(scale));
        match at_places.and_then(|factor| coefficient.checked_mul(*factor)) {
            Some(coefficient) => Self::signed(PLACES, coefficient),
            None => Self::unusual_number(coefficient, scale),
        }
    }

    fn unusual_number(mut coefficient: i64, mut scale: u8) -> Self {
        let least = if scale > PLACES { PLACES } else { 0 };
        while scale > least && coefficient % 10 == 0 {
            coefficient /= 10;
            scale -= 1;
        }
        Self::signed(scale, coefficient)
    }

    /// As [`Slot::number`], for coefficients beyond 64 bits.
    pub(crate) fn wide_number(mut coefficient: i256, mut scale: u8) -> Self {
        const TEN: i256 = i256::from_i128(10);
        let small = |wide: i256| wide.to_i128().and_then(|c| i64::try_from(c).ok());
        while scale > 0 && small(coefficient).is_none() && coefficient.wrapping_rem(TEN) == i256::ZERO {
            coefficient = coefficient.wrapping_div(TEN);
            scale -= 1;
        }
        if let Some(coefficient) = small(coefficient) {
            return Self::number(coefficient, scale);
        }
        let mut bytes = [scale; 33];
        bytes[1..].copy_from_slice(&coefficient.to_le_bytes());
        Self::two(tag::WIDE_NUMBER, xxh3_128(&bytes))
    }

    #[inline]
    pub(crate) fn bool(value: bool) -> Self {
        Self::one(tag::BOOL, u64::from(value))
    }

    /// One zero and one NaN: which of their many bit patterns an engine returns says nothing about the answer.
    #[inline]
    pub(crate) fn float(value: f64) -> Self {
        let canonical = if value.is_nan() {
            f64::NAN
        } else if value == 0.0 {
            0.0
        } else {
            value
        };
        Self::one(tag::FLOAT, canonical.to_bits())
    }

    #[inline]
    pub(crate) fn bytes(value: &[u8]) -> Self {
        if value.len() > SHORT {
            return Self::long_bytes(value);
        }
        let mut words = [0; 16];
        #[expect(clippy::cast_possible_truncation, reason = "it is at most 12")]
        let length = value.len() as u8;
        words[0] = length;
        words[4..4 + value.len()].copy_from_slice(value);
        Self::two(tag::SHORT_BYTES, u128::from_le_bytes(words))
    }

    /// More than [`SHORT`] bytes.
    #[inline]
    pub(crate) fn long_bytes(value: &[u8]) -> Self {
        Self::two(tag::LONG_BYTES, xxh3_128(value))
    }

    /// Nanoseconds since midnight.
    #[inline]
    pub(crate) fn time(nanoseconds: i64) -> Self {
        Self::signed(tag::TIME, nanoseconds)
    }

    #[inline]
    pub(crate) fn interval(months: i32, days: i32, nanoseconds: i64) -> Self {
        let first = u64::from(months.cast_unsigned()) | u64::from(days.cast_unsigned()) << 32;
        let second = Some(nanoseconds.cast_unsigned());
        Self { tag: tag::INTERVAL, word: first, second }
    }

    /// A list, struct or map, given its encoded members.
    pub(crate) fn sequence(tag: u8, members: &[u8]) -> Self {
        Self::two(tag, xxh3_128(members))
    }

    /// Appends tag and words.
    pub(crate) fn push(self, out: &mut Vec<u8>) {
        out.push(self.tag);
        out.extend_from_slice(&self.word.to_le_bytes());
        if let Some(second) = self.second {
            out.extend_from_slice(&second.to_le_bytes());
        }
    }
}

/// Points and spans of time, given the `tag` of their kind: in microseconds if that is exact and fits, else in the
/// first of nanoseconds, milliseconds and seconds of which the same is true.
impl Slot {
    #[inline]
    pub(crate) fn nanoseconds(tag: u8, value: i64) -> Self {
        let microseconds = value / 1_000;
        if microseconds * 1_000 == value {
            Self::ticks(tag, Unit::Microsecond, microseconds)
        } else {
            Self::ticks(tag, Unit::Nanosecond, value)
        }
    }

    #[inline]
    pub(crate) fn microseconds(tag: u8, value: i64) -> Self {
        Self::ticks(tag, Unit::Microsecond, value)
    }

    #[inline]
    pub(crate) fn milliseconds(tag: u8, value: i64) -> Self {
        match value.checked_mul(1_000) {
            Some(microseconds) => Self::ticks(tag, Unit::Microsecond, microseconds),
            None => Self::ticks(tag, Unit::Millisecond, value),
        }
    }

    #[inline]
    pub(crate) fn seconds(tag: u8, value: i64) -> Self {
        match value.checked_mul(1_000) {
            Some(milliseconds) => Self::milliseconds(tag, milliseconds),
            None => Self::ticks(tag, Unit::Second, value),
        }
    }

    #[inline]
    fn ticks(tag: u8, unit: Unit, value: i64) -> Self {
        Self::signed(tag + unit as u8, value)
    }
}

/// What is done with the slots of an array that needs no other array.
pub(crate) trait SlotVisitor<'a> {
    type Output;
    fn visit(self, slot: impl Fn(usize) -> Slot + 'a) -> Self::Output;
}
