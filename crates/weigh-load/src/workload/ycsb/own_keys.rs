//! Which keys are one generator's, where several offer one load: each asks for and writes its own alone, so that it knows
//! what every answer may show.
//!
//! Keys are dealt so that all generators' together are asked for equally often: then each key is asked for as often as by
//! one generator. The popular ones are dealt by their weight, each to whoever has least; of all others it follows from
//! the number.

use std::collections::{BTreeMap, HashMap};

use crate::Error;
use crate::config::Share;

use super::key_distribution::{Requests, Zipf, fnv64};

/// Ranks whose keys are dealt by their weight: a third of all requests. Of those behind them none is asked for by more
/// than one request in 90,000.
const DEALT: u64 = 4096;
/// By how much the requests for one generator's keys may differ from its share.
const UNEVEN: f64 = 0.02;

/// The keys of one of several generators.
#[derive(Debug, Default)]
pub(super) struct OwnKeys {
    share: Share,
    /// Of popular keys, whose they are.
    dealt: HashMap<u64, usize>,
}

impl OwnKeys {
    /// Of so many loaded keys.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`]: they cannot be dealt evenly.
    pub(super) fn new(share: Share, requests: Requests, loaded: u64) -> Result<Self, Error> {
        if !share.is_part() {
            return Ok(Self::default());
        }
        let parts = share.parts;
        let mut dealt = HashMap::new();
        let mut held = vec![0.0_f64; parts];
        match requests {
            Requests::Zipfian => {
                let zeta = Zipf::scrambled().zeta_of_all();
                let mut weights: BTreeMap<u64, f64> = BTreeMap::new();
                for rank in 0..DEALT {
                    let weight = (Zipf::zeta(rank + 1) - Zipf::zeta(rank)) / zeta;
                    *weights.entry(fnv64(rank) % loaded).or_default() += weight;
                }
                let mut popular: Vec<(u64, f64)> = weights.into_iter().collect();
                popular.sort_by(|one, other| other.1.total_cmp(&one.1));
                let whole: f64 = popular.iter().map(|(_, weight)| weight).sum();
                for (key, weight) in popular {
                    let least =
                        (0..parts).min_by(|one, other| held[*one].total_cmp(&held[*other])).unwrap_or(0);
                    dealt.insert(key, least);
                    held[least] += weight;
                }
                // What is left falls on all keys alike.
                held.iter_mut().for_each(|own| *own += (1.0 - whole) / as_float(parts));
            }
            Requests::Uniform | Requests::Sequential => {
                for (part, own) in held.iter_mut().enumerate() {
                    let keys = Share { part, parts }.of(usize::try_from(loaded).unwrap_or(usize::MAX)).1;
                    *own = as_float(keys) / as_float(usize::try_from(loaded).unwrap_or(usize::MAX));
                }
            }
            Requests::Latest | Requests::Hotspot { .. } | Requests::Exponential { .. } => {
                return Err(Error::Unfit {
                    message: "keys are dealt to agents where requests are zipfian, uniform or sequential, and these are not",
                    remedy: "leave --agents out, or set requestdistribution=zipfian",
                });
            }
        }
        let uneven = held.iter().map(|own| (own * as_float(parts) - 1.0).abs()).fold(0.0, f64::max);
        if uneven > UNEVEN {
            return Err(Error::Setting(format!(
                "the keys of {loaded} records cannot be dealt to {parts} agents so that all are asked for equally often: \
                 the share of one would be off by {:.0} %. Take fewer agents, more records, or \
                 requestdistribution=uniform",
                uneven * 100.0
            )));
        }
        Ok(Self { share, dealt })
    }

    /// Whether a key is this generator's.
    #[inline]
    pub(super) fn has(&self, key: u64) -> bool {
        if !self.share.is_part() {
            return true;
        }
        let owner = self.dealt.get(&key).copied();
        owner.unwrap_or_else(|| usize::try_from(key % self.share.parts as u64).unwrap_or(0))
            == self.share.part
    }
}

#[expect(clippy::cast_precision_loss, reason = "fewer than 2^53")]
fn as_float(number: usize) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn all(parts: usize, requests: Requests, loaded: u64) -> Vec<OwnKeys> {
        (0..parts).map(|part| OwnKeys::new(Share { part, parts }, requests, loaded).unwrap()).collect()
    }

    #[test]
    fn every_key_has_one_owner_and_all_are_asked_for_equally_often() {
        let own = all(3, Requests::Zipfian, 100_000);
        let (mut random, zipf) = (Random::new(1), Zipf::scrambled());
        let mut asked = [0_u32; 3];
        for _ in 0..300_000 {
            let key = fnv64(zipf.draw(&mut random)) % 100_000;
            let owners: Vec<usize> = (0..3).filter(|part| own[*part].has(key)).collect();
            assert_eq!(owners.len(), 1);
            asked[owners[0]] += 1;
        }
        // Standard deviation 258.
        assert!(asked.iter().all(|count| (98_700..101_300).contains(count)), "{asked:?}");
    }

    #[test]
    fn what_cannot_be_dealt_evenly_is_refused() {
        // The most popular key is one request in 26.
        let fifty = OwnKeys::new(Share { part: 0, parts: 50 }, Requests::Zipfian, 100_000);
        assert!(fifty.unwrap_err().to_string().contains("dealt to 50 agents"));
        assert!(OwnKeys::new(Share { part: 0, parts: 50 }, Requests::Uniform, 100_000).is_ok());
        assert!(OwnKeys::new(Share { part: 0, parts: 3 }, Requests::Uniform, 10).is_err());
        assert!(OwnKeys::new(Share { part: 0, parts: 2 }, Requests::Latest, 100_000).is_err());
        assert!(OwnKeys::new(Share::default(), Requests::Latest, 10).unwrap().has(7));
    }
}
