//! Random numbers that come again: Xoshiro256++ (Blackman, Vigna 2021), one stream for each thread.
//!
//! A seed and the number of a stream name the numbers for good. Streams of one seed are 2^128 numbers apart, so that
//! threads never share any.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    /// The first stream of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// Stream `number` of a seed; stream 0 is the first.
    #[must_use]
    pub fn stream(seed: u64, number: usize) -> Self {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
        for _ in 0..number {
            generator.jump();
        }
        Self(generator)
    }

    /// The next 64 bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in [0, 1), a multiple of 2^-53.
    #[inline]
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    pub fn unit(&mut self) -> f64 {
        const ULP: f64 = 1.0 / (1_u64 << 53) as f64;
        (self.bits() >> 11) as f64 * ULP
    }

    /// Uniform in 0 to `end` - 1, without bias: multiplication with rejection (Lemire 2019). 0 if `end` is 0.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the low and the high half are meant")]
    pub fn below(&mut self, end: u64) -> u64 {
        if end == 0 {
            return 0;
        }
        let threshold = end.wrapping_neg() % end;
        loop {
            let product = u128::from(self.bits()) * u128::from(end);
            if product as u64 >= threshold {
                return (product >> 64) as u64;
            }
        }
    }

    /// Uniform in `low` to `high`, both included.
    #[inline]
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let width = high.wrapping_sub(low).cast_unsigned();
        // All of 64 bits: their number does not fit into 64 bits.
        let offset = if width == u64::MAX { self.bits() } else { self.below(width + 1) };
        low.wrapping_add(offset.cast_signed())
    }
}

/// One step of SplitMix64 (Steele, Lea, Flood 2014): a bijection of 64 bits that scatters.
#[inline]
#[must_use]
pub(crate) fn scatter(bits: u64) -> u64 {
    let mut bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_names_its_numbers_and_streams_differ() {
        let draw = |mut random: Random| -> Vec<u64> { (0..100).map(|_| random.bits()).collect() };
        assert_eq!(draw(Random::new(7)), draw(Random::stream(7, 0)));
        assert_ne!(draw(Random::new(7)), draw(Random::new(8)));
        assert_ne!(draw(Random::new(7)), draw(Random::stream(7, 1)));
        assert_ne!(draw(Random::stream(7, 2)), draw(Random::stream(7, 1)));
    }

    #[test]
    fn below_is_uniform_even_where_the_range_does_not_divide_the_bits() {
        let mut random = Random::new(1);
        // Three quarters of 2^64: without rejection a third of the numbers would come twice as often.
        let end = 3_u64 << 62;
        let low = (0..30_000).filter(|_| random.below(end) < 1 << 62).count();
        // Standard deviation 82.
        assert!((9_600..10_400).contains(&low), "{low}");
        assert_eq!(random.below(0), 0);
        assert_eq!(random.below(1), 0);
    }

    #[test]
    fn between_reaches_both_ends_and_the_whole_range() {
        let mut random = Random::new(2);
        let mut seen = [0; 5];
        for _ in 0..1_000 {
            seen[usize::try_from(random.between(-2, 2) + 2).unwrap()] += 1;
        }
        assert!(seen.iter().all(|count| (130..270).contains(count)), "{seen:?}");
        let negative = (0..1_000).filter(|_| random.between(i64::MIN, i64::MAX) < 0).count();
        assert!((400..600).contains(&negative));
        assert_eq!(random.between(i64::MAX, i64::MAX), i64::MAX);
    }
}
