//! The texts of the population (clause 4.3.2), and the streams they are drawn from.

use crate::random::{Random, scatter};

const LETTERS: &[u8; 52] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ALPHANUMERIC: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DIGITS: &[u8; 10] = b"0123456789";
const CAPITALS: &[u8; 26] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ";
/// Characters from one draw of 64 bits: few enough that none is likelier than another by more than 1 in 2^28.
const A_DRAW: usize = 6;

/// The stream of random numbers of one part of the data, or of one terminal, so that each can be made by itself.
#[must_use]
pub(super) fn stream(seed: u64, what: u64, part: u64) -> Random {
    Random::new(scatter(scatter(scatter(seed) ^ what) ^ part))
}

/// Alphanumeric characters, of a random length from `low` to `high`.
pub(super) fn a_string(random: &mut Random, low: u64, high: u64, out: &mut Vec<u8>) {
    let length = low + random.below(high - low + 1);
    characters(random, ALPHANUMERIC, length, out);
}

/// So many letters.
pub(super) fn letters(random: &mut Random, length: u64, out: &mut Vec<u8>) {
    characters(random, LETTERS, length, out);
}

/// So many capital letters: of a state.
pub(super) fn capitals(random: &mut Random, length: u64, out: &mut Vec<u8>) {
    characters(random, CAPITALS, length, out);
}

/// So many digits.
pub(super) fn n_string(random: &mut Random, length: u64, out: &mut Vec<u8>) {
    characters(random, DIGITS, length, out);
}

#[expect(clippy::cast_possible_truncation, reason = "the low and the high half are meant")]
fn characters(random: &mut Random, alphabet: &[u8], length: u64, out: &mut Vec<u8>) {
    let mut left = usize::try_from(length).unwrap_or(0);
    while left > 0 {
        // The bits as a fraction: each multiplication moves the next character in front of the point.
        let mut fraction = random.bits();
        for _ in 0..left.min(A_DRAW) {
            let product = u128::from(fraction) * alphabet.len() as u128;
            out.push(alphabet[(product >> 64) as usize]);
            fraction = product as u64;
        }
        left -= left.min(A_DRAW);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_have_every_character_equally_often() {
        let mut random = Random::new(4);
        let mut out = Vec::new();
        for _ in 0..10_000 {
            a_string(&mut random, 26, 50, &mut out);
        }
        let mut counts = [0_usize; 256];
        for one in &out {
            counts[usize::from(*one)] += 1;
        }
        let mean = out.len() / ALPHANUMERIC.len();
        for one in ALPHANUMERIC {
            let count = counts[usize::from(*one)];
            assert!((mean * 9 / 10..mean * 11 / 10).contains(&count), "{one} {count}");
        }
        assert!((370_000..390_000).contains(&out.len()), "{}", out.len());
    }
}
