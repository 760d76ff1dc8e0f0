//! The digest of a multiset of rows.

use std::fmt;
use std::ops::{Add, AddAssign};
use std::str::FromStr;

use crate::Error;

/// Names the scheme, so that a digest of another one is never compared by mistake.
const SCHEME: &str = "x3s2";

/// The sum of the hashes of rows, and how many there were.
///
/// Addition is commutative and associative: digests of parts add up to the digest of the whole, in any order.
///
/// ```
/// use weigh_digest::Digest;
///
/// let whole: Digest = "x3s2:2:00000000000000000000000000000003".parse()?;
/// assert_eq!(Digest::of_row(1) + Digest::of_row(2), whole);
/// # Ok::<(), weigh_digest::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Digest {
    rows: u64,
    sum: u128,
}

impl Digest {
    /// The digest of one row, given its hash.
    #[must_use]
    pub const fn of_row(hash: u128) -> Self {
        Self { rows: 1, sum: hash }
    }

    /// The digest of rows, given the hash of each.
    #[must_use]
    pub fn of_rows(hashes: &[u128]) -> Self {
        let sum = hashes.iter().fold(0, |sum: u128, hash| sum.wrapping_add(*hash));
        Self { rows: hashes.len() as u64, sum }
    }

    /// How many rows were added.
    #[must_use]
    pub const fn rows(self) -> u64 {
        self.rows
    }
}

impl Add for Digest {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { rows: self.rows.wrapping_add(other.rows), sum: self.sum.wrapping_add(other.sum) }
    }
}

impl AddAssign for Digest {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl std::iter::Sum for Digest {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), Add::add)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SCHEME}:{}:{:032x}", self.rows, self.sum)
    }
}

impl FromStr for Digest {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let parse = || {
            let (rows, sum) = text.strip_prefix(SCHEME)?.strip_prefix(':')?.split_once(':')?;
            let digits = |s: &str, radix| s.bytes().all(|b| char::from(b).is_digit(radix));
            if sum.len() != 32 || !digits(sum, 16) || !digits(rows, 10) {
                return None;
            }
            Some(Self { rows: rows.parse().ok()?, sum: u128::from_str_radix(sum, 16).ok()? })
        };
        // Only the one spelling is a digest: they are compared as text in manifests.
        parse()
            .filter(|digest| digest.to_string() == text)
            .ok_or_else(|| Error::NotADigest { text: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_survives_a_round_trip() {
        let digest = Digest::of_rows(&[u128::MAX, 7, 12]);
        assert_eq!(digest.to_string(), "x3s2:3:00000000000000000000000000000012");
        assert_eq!(digest.to_string().parse::<Digest>().unwrap(), digest);
    }

    #[test]
    fn other_spellings_are_refused() {
        for text in [
            "",
            "x3s2",
            "x3s2:1:2",
            "x3s1:1:00000000000000000000000000000012",
            "x3s2:01:00000000000000000000000000000012",
            "x3s2:1:0000000000000000000000000000001A",
            "x3s2:1:+0000000000000000000000000000012",
            "x3s2:1:00000000000000000000000000000012 ",
        ] {
            assert!(text.parse::<Digest>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let hashes: Vec<u128> = (0..100).map(|i| (u128::MAX / 3).wrapping_mul(i)).collect();
        let (left, right) = hashes.split_at(37);
        assert_eq!(Digest::of_rows(right) + Digest::of_rows(left), Digest::of_rows(&hashes));
        assert_eq!(hashes.iter().map(|h| Digest::of_row(*h)).sum::<Digest>(), Digest::of_rows(&hashes));
    }
}
