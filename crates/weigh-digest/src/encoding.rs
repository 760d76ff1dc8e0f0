//! How one scalar is written: a slot of nine bytes, and for some kinds a tail.
//!
//! The layout of a whole row and the table of tags are specified in the [crate documentation](crate).

use arrow_buffer::i256;

/// Bytes of a slot: one tag and a payload of eight.
pub(crate) const SLOT: usize = 9;

/// What the tag of an instant or a duration grows by when it has a fraction of a second.
const FRACTION: u8 = 1;

/// Tags of the kinds. Tags 0 to 76 are numbers: the tag of a number is its scale.
pub(crate) mod tag {
    pub(crate) const NULL: u8 = 0x80;
    pub(crate) const BOOL: u8 = 0x81;
    pub(crate) const WIDE_NUMBER: u8 = 0x82;
    pub(crate) const FLOAT: u8 = 0x83;
    pub(crate) const BYTES: u8 = 0x84;
    pub(crate) const INSTANT: u8 = 0x85;
    pub(crate) const DURATION: u8 = 0x87;
    pub(crate) const TIME: u8 = 0x89;
    pub(crate) const INTERVAL: u8 = 0x8a;
    pub(crate) const LIST: u8 = 0x8b;
    pub(crate) const STRUCT: u8 = 0x8c;
    pub(crate) const MAP: u8 = 0x8d;
}

/// The fixed part of an encoded value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) tag: u8,
    pub(crate) payload: u64,
}

impl Slot {
    pub(crate) const NULL: Self = Self::new(tag::NULL, 0);

    pub(crate) const fn new(tag: u8, payload: u64) -> Self {
        Self { tag, payload }
    }

    /// `coefficient / 10^scale` with the trailing zeros of the fraction removed, so that 5, 5.0 and 5.00 are one value.
    #[inline]
    pub(crate) fn number(mut coefficient: i64, mut scale: u8) -> Self {
        // Whether a cent is there is a coin toss to the branch predictor: without branches for as far as money goes.
        for _ in 0..scale.min(2) {
            let tenth = coefficient / 10;
            let exact = tenth * 10 == coefficient;
            coefficient = if exact { tenth } else { coefficient };
            scale -= u8::from(exact);
        }
        while scale > 0 && coefficient % 10 == 0 {
            coefficient /= 10;
            scale -= 1;
        }
        Self::new(scale, coefficient.cast_unsigned())
    }

    #[inline]
    pub(crate) fn bool(value: bool) -> Self {
        Self::new(tag::BOOL, u64::from(value))
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
        Self::new(tag::FLOAT, canonical.to_bits())
    }

    /// The slot of a sequence (bytes, list, struct, map) of `length` members, which follow in the tail.
    #[inline]
    pub(crate) fn sequence(tag: u8, length: usize) -> Self {
        Self::new(tag, length as u64)
    }

    #[inline]
    pub(crate) fn signed(tag: u8, value: i64) -> Self {
        Self::new(tag, value.cast_unsigned())
    }

    #[inline]
    pub(crate) fn to_bytes(self) -> [u8; SLOT] {
        let mut bytes = [self.tag; SLOT];
        bytes[1..].copy_from_slice(&self.payload.to_le_bytes());
        bytes
    }

    #[inline]
    pub(crate) fn push(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_bytes());
    }
}

/// What is done with the slots of an array whose values never have a tail.
pub(crate) trait SlotVisitor<'a> {
    type Output;
    fn visit(self, slot: impl Fn(usize) -> Slot + 'a) -> Self::Output;
}

/// Appends `coefficient / 10^scale`: as a plain number when the stripped coefficient fits 64 bits, else with a tail.
pub(crate) fn push_wide_number(mut coefficient: i256, mut scale: u8, out: &mut Vec<u8>) {
    const TEN: i256 = i256::from_i128(10);
    let small = |wide: i256| wide.to_i128().and_then(|c| i64::try_from(c).ok());
    while scale > 0 && small(coefficient).is_none() && coefficient.wrapping_rem(TEN) == i256::ZERO {
        coefficient = coefficient.wrapping_div(TEN);
        scale -= 1;
    }
    if let Some(coefficient) = small(coefficient) {
        Slot::number(coefficient, scale).push(out);
    } else {
        Slot::new(tag::WIDE_NUMBER, u64::from(scale)).push(out);
        out.extend_from_slice(&coefficient.to_le_bytes());
    }
}

/// Appends a point or a span of time given in `1 / per_second` seconds.
///
/// `whole` is the tag of a value without a fraction; one with a fraction has the next tag and four bytes of nanoseconds.
pub(crate) fn push_seconds(whole: u8, ticks: i64, per_second: i64, out: &mut Vec<u8>) {
    let (seconds, rest) = (ticks.div_euclid(per_second), ticks.rem_euclid(per_second));
    if rest == 0 {
        return Slot::signed(whole, seconds).push(out);
    }
    Slot::signed(whole + FRACTION, seconds).push(out);
    // rest < per_second <= 10^9, so that the product is below 10^9 as well.
    let nanoseconds = u32::try_from(rest * (1_000_000_000 / per_second)).unwrap_or(u32::MAX);
    out.extend_from_slice(&nanoseconds.to_le_bytes());
}
