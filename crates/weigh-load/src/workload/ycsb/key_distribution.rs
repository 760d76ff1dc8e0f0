//! Which key comes next.
//!
//! **Zipfian**: rank *i* of *n* has the probability *i*^-0.99 / zeta(*n*). The numbers follow this distribution itself, by
//! inversion. (YCSB's own generator uses the approximation of Gray et al., "Quickly generating billion-record synthetic
//! databases", 1994, which is exact for the first two ranks and draws the third 20 % too often.)
//!
//! **Scrambled**: a rank out of 10^10, whose zeta is 26.46902820178302, is hashed by FNV-1a, and taken modulo the number
//! of keys. The popular keys are so spread over all, and some share a place by collision.
//!
//! **Latest**: the newest key minus a zipfian rank. **Uniform**, **hotspot** and **sequential** ask for loaded keys alone,
//! as YCSB does. **Exponential**: the newest key minus an exponentially distributed number.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Deserialize;

use crate::Error;
use crate::random::Random;

/// YCSB's skew.
const THETA: f64 = 0.99;
/// Ranks that scrambled keys are drawn from.
const SCRAMBLED_RANKS: u64 = 10_000_000_000;
/// The sum of *i*^-0.99 over them, as YCSB states it.
const SCRAMBLED_ZETA: f64 = 26.469_028_201_783_02;
/// Ranks whose cumulative weights are kept in a table. From here on the integral between half-integers stands for the
/// sum, with an error below 1e-7 of one rank's weight at the seam.
const HEAD: usize = 4096;

/// Cumulative weights: `[i]` is the sum of *k*^-0.99 over *k* = 1 to *i* + 1.
static CUMULATIVE: LazyLock<Vec<f64>> = LazyLock::new(|| {
    let mut sum = 0.0;
    (1..=HEAD)
        .map(|rank| {
            sum += as_float(rank as u64).powf(-THETA);
            sum
        })
        .collect()
});

#[expect(clippy::cast_precision_loss, reason = "ranks are far below 2^53")]
fn as_float(rank: u64) -> f64 {
    rank as f64
}

/// The integral of x^-0.99 up to the half-integer after `rank`, but for a constant.
fn integral(rank: u64) -> f64 {
    (as_float(rank) + 0.5).powf(1.0 - THETA) / (1.0 - THETA)
}

/// The zipfian distribution of skew 0.99.
#[derive(Clone, Copy, Debug)]
pub struct Zipf {
    ranks: u64,
    zeta: f64,
}

impl Zipf {
    /// Over this many ranks; over one if it is 0.
    #[must_use]
    pub fn over(ranks: u64) -> Self {
        Self { ranks: ranks.max(1), zeta: Self::zeta(ranks.max(1)) }
    }

    /// That of scrambled keys.
    #[must_use]
    pub fn scrambled() -> Self {
        Self { ranks: SCRAMBLED_RANKS, zeta: SCRAMBLED_ZETA }
    }

    /// The sum of *i*^-0.99 over *i* = 1 to `ranks`.
    #[must_use]
    pub fn zeta(ranks: u64) -> f64 {
        match usize::try_from(ranks) {
            Ok(0) => 0.0,
            Ok(few) if few <= HEAD => CUMULATIVE[few - 1],
            _ => CUMULATIVE[HEAD - 1] + (integral(ranks) - integral(HEAD as u64)),
        }
    }

    /// The sum over all of its ranks.
    pub(super) fn zeta_of_all(&self) -> f64 {
        self.zeta
    }

    /// The number of ranks.
    #[must_use]
    pub fn ranks(&self) -> u64 {
        self.ranks
    }

    /// A rank, counted from 0.
    #[inline]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive whole number")]
    pub fn draw(&self, random: &mut Random) -> u64 {
        let weight = random.unit() * self.zeta;
        let head = &CUMULATIVE[..];
        let rank = if weight < head[HEAD - 1] {
            head.partition_point(|sum| *sum <= weight) as u64
        } else {
            let inside = weight - head[HEAD - 1] + integral(HEAD as u64);
            let edge = (inside * (1.0 - THETA)).powf(1.0 / (1.0 - THETA));
            // The rank, counted from 1, whose half-integer is the first beyond the edge; then counted from 0.
            ((edge - 0.5).ceil() as u64).saturating_sub(1)
        };
        rank.min(self.ranks - 1)
    }
}

/// YCSB's hash of a number: FNV-1a of its 8 bytes from the lowest, taken as a signed number, without its sign.
#[must_use]
pub fn fnv64(number: u64) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in number.to_le_bytes() {
        hash ^= u64::from(byte);
        hash = hash.wrapping_mul(1_099_511_628_211);
    }
    hash.cast_signed().unsigned_abs()
}

/// How the keys of requests are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Requests {
    /// A few keys are popular, and lie anywhere.
    Zipfian,
    /// All loaded keys alike.
    Uniform,
    /// The newest keys are popular.
    Latest,
    /// A share of the requests goes to the first loaded keys, the rest to the others; alike in each.
    Hotspot {
        /// Share of the keys that is hot.
        data: f64,
        /// Share of the requests that goes to them.
        operations: f64,
    },
    /// One loaded key after another, over and over.
    Sequential,
    /// The newest keys are popular, and how much falls off as an exponential function.
    Exponential {
        /// Percentage of the requests ...
        percentile: f64,
        /// ... that goes to this newest share of the loaded keys.
        share: f64,
    },
}

impl Requests {
    /// Whether it can be drawn from so many records.
    pub(super) fn check(self, records: u64) -> Result<(), Error> {
        let right = match self {
            Self::Zipfian | Self::Uniform | Self::Latest | Self::Sequential => true,
            Self::Hotspot { data, operations } => {
                let hot = hot_keys(records, data);
                (0.0..=1.0).contains(&data)
                    && (0.0..=1.0).contains(&operations)
                    && (hot > 0 || operations <= 0.0)
                    && (hot < records || operations >= 1.0)
            }
            Self::Exponential { percentile, share } => {
                percentile > 0.0 && percentile < 100.0 && (1e-9..=1e9).contains(&share)
            }
        };
        right.then_some(()).ok_or_else(|| {
            Error::Setting(format!(
                "requests of {self:?} over {records} records cannot be: fractions are from 0 to 1, a percentile is \
                 between 0 and 100, and no set of keys that is asked for is empty"
            ))
        })
    }
}

/// How many of the loaded keys are hot.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a share of fewer than 2^47 keys"
)]
fn hot_keys(records: u64, share: f64) -> u64 {
    ((records as f64 * share) as u64).min(records)
}

/// Draws key numbers.
#[derive(Debug)]
pub(crate) struct KeyChooser {
    requests: Requests,
    zipf: Zipf,
    /// Keys that were loaded.
    loaded: u64,
    /// Scrambled keys are taken modulo this.
    places: u64,
}

impl KeyChooser {
    /// Of so many loaded keys, and inserts that are expected.
    pub(crate) fn new(requests: Requests, loaded: u64, expected: u64) -> Self {
        let zipf = match requests {
            Requests::Latest => Zipf::over(loaded),
            _ => Zipf::scrambled(),
        };
        Self { requests, zipf, loaded, places: loaded + expected }
    }

    /// A key number, of which `exist` from 0 on exist. Scrambled ones may lie beyond. `sequence` counts the requests of
    /// all threads.
    #[inline]
    pub(crate) fn draw(&mut self, exist: u64, sequence: &AtomicU64, random: &mut Random) -> u64 {
        match self.requests {
            Requests::Zipfian => fnv64(self.zipf.draw(random)) % self.places,
            Requests::Uniform => random.below(self.loaded),
            Requests::Latest => {
                if self.zipf.ranks() != exist {
                    self.zipf = Zipf::over(exist);
                }
                newest(exist).saturating_sub(self.zipf.draw(random))
            }
            Requests::Hotspot { data, operations } => {
                let hot = hot_keys(self.loaded, data);
                if random.unit() < operations {
                    random.below(hot)
                } else {
                    hot + random.below(self.loaded - hot)
                }
            }
            Requests::Sequential => sequence.fetch_add(1, Ordering::Relaxed) % self.loaded,
            Requests::Exponential { percentile, share } => {
                let falls = -(1.0 - percentile / 100.0).ln() / (as_float(self.loaded) * share);
                // YCSB draws again what lies before the first key; this is the same distribution in one draw.
                let reached = 1.0 - (-falls * as_float(exist)).exp();
                newest(exist).saturating_sub(whole(-(1.0 - random.unit() * reached).ln() / falls))
            }
        }
    }
}

fn newest(exist: u64) -> u64 {
    exist.saturating_sub(1)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a positive number, rounded down"
)]
fn whole(number: f64) -> u64 {
    number as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: u32 = 1_000_000;

    /// Five standard deviations of a binomial count.
    fn near(count: u32, probability: f64) -> bool {
        let mean = f64::from(DRAWS) * probability;
        (f64::from(count) - mean).abs() <= 5.0 * (mean * (1.0 - probability)).sqrt() + 1.0
    }

    #[test]
    fn zeta_is_the_published_constant() {
        assert!(
            (Zipf::zeta(SCRAMBLED_RANKS) - SCRAMBLED_ZETA).abs() < 1e-7,
            "{}",
            Zipf::zeta(SCRAMBLED_RANKS)
        );
        let direct: f64 = (1..=1_000_000_u64).map(|rank| as_float(rank).powf(-THETA)).sum();
        assert!((Zipf::zeta(1_000_000) - direct).abs() < 1e-7);
    }

    #[test]
    fn ranks_follow_the_law_in_the_head_at_the_seam_and_in_the_tail() {
        let zipf = Zipf::scrambled();
        let mut random = Random::new(3);
        let edges = [0, 1, 2, 3, 4, 10, 100, 4_000, 4_095, 4_096, 4_097, 5_000, 100_000, 1 << 30];
        let mut counts = vec![0_u32; edges.len()];
        for _ in 0..DRAWS {
            let rank = zipf.draw(&mut random);
            assert!(rank < SCRAMBLED_RANKS);
            counts[edges.partition_point(|edge| *edge <= rank) - 1] += 1;
        }
        for (at, low) in edges.iter().enumerate() {
            let high = edges.get(at + 1).copied().unwrap_or(SCRAMBLED_RANKS);
            let probability = (Zipf::zeta(high) - Zipf::zeta(*low)) / SCRAMBLED_ZETA;
            assert!(near(counts[at], probability), "ranks {low} to {high}: {} of {probability}", counts[at]);
        }
    }

    #[test]
    fn the_hottest_hundred_keys_have_the_frequency_of_the_law_with_its_collisions() {
        let places = 1_000;
        // The first ranks one by one, where they fall; the rest, of less than 1e-6 each, evenly.
        let head = 1_000_000_u64;
        let even = (1.0 - Zipf::zeta(head) / SCRAMBLED_ZETA) / as_float(places);
        let mut probability = vec![even; usize::try_from(places).unwrap()];
        for rank in 0..head {
            let key = usize::try_from(fnv64(rank) % places).unwrap();
            probability[key] += as_float(rank + 1).powf(-THETA) / SCRAMBLED_ZETA;
        }
        let mut counts = vec![0_u32; probability.len()];
        let (mut chooser, mut random) = (KeyChooser::new(Requests::Zipfian, places, 0), Random::new(4));
        let sequence = AtomicU64::new(0);
        for _ in 0..DRAWS {
            counts[usize::try_from(chooser.draw(places, &sequence, &mut random)).unwrap()] += 1;
        }
        let mut hottest: Vec<usize> = (0..probability.len()).collect();
        hottest.sort_by(|a, b| probability[*b].total_cmp(&probability[*a]));
        for key in &hottest[..100] {
            assert!(
                near(counts[*key], probability[*key]),
                "key {key}: {} of {}",
                counts[*key],
                probability[*key]
            );
        }
        // All keys: chi-square with 999 degrees of freedom is 999 +- 45.
        let chi_square: f64 = probability
            .iter()
            .zip(&counts)
            .map(|(p, count)| (f64::from(*count) - p * f64::from(DRAWS)).powi(2) / (p * f64::from(DRAWS)))
            .sum();
        assert!((800.0..1_200.0).contains(&chi_square), "{chi_square}");
    }

    #[test]
    fn latest_counts_back_from_the_newest_also_while_keys_are_added() {
        let (mut chooser, mut random) = (KeyChooser::new(Requests::Latest, 10, 0), Random::new(5));
        let sequence = AtomicU64::new(0);
        let mut counts = [0_u32; 10];
        for draw in 0..DRAWS {
            let exist = 20_000 + u64::from(draw) / 1_000;
            let key = chooser.draw(exist, &sequence, &mut random);
            assert!(key < exist);
            if let Some(count) = counts.get_mut(usize::try_from(exist - 1 - key).unwrap()) {
                *count += 1;
            }
        }
        for (rank, count) in counts.iter().enumerate() {
            // Zeta moves by less than a thousandth between 20,000 and 21,000 keys; the mean is taken.
            let probability = as_float(rank as u64 + 1).powf(-THETA) / Zipf::zeta(20_500);
            assert!(near(*count, probability), "{rank}: {count} of {probability}");
        }
        assert_eq!(chooser.draw(1, &sequence, &mut random), 0);
    }

    #[test]
    fn the_hash_is_fnv_1a() {
        // FNV-1a of eight zero bytes and of 01 00 .. 00, by the definition at isthe.com, without the sign.
        let signless = |hash: u64| hash.cast_signed().unsigned_abs();
        let mut zero = 0xcbf2_9ce4_8422_2325_u64;
        for _ in 0..8 {
            zero = zero.wrapping_mul(0x0100_0000_01b3);
        }
        assert_eq!(fnv64(0), signless(zero));
        assert_eq!(fnv64(0), 6_284_781_860_667_377_211);
    }
}
