//! A sample of the requests of a thread, each as likely as any other however many there are.
//!
//! Algorithm L (Li 1994): which request is kept next is drawn beforehand, so that all others cost one comparison.

use crate::ask::{SAMPLE_BYTES, Sample, answer};
use crate::random::Random;
use crate::workload::message::{Command, Reply};

/// What a thread keeps.
#[derive(Debug)]
pub(super) struct Sampler {
    random: Random,
    most: usize,
    kept: Vec<Sample>,
    seen: u64,
    /// The number of the next request that is kept.
    next: u64,
    /// Shrinks with every one that is kept.
    width: f64,
}

impl Sampler {
    /// Keeps `most` requests; random numbers of its own, so that the run draws the same with and without it.
    pub(super) fn new(random: Random, most: usize) -> Self {
        Self { random, most, kept: Vec::new(), seen: 0, next: 0, width: 1.0 }
    }

    /// Another request was answered; whether it is one to be kept.
    pub(super) fn wants(&mut self) -> bool {
        self.seen += 1;
        self.most > 0 && self.seen > self.next
    }

    /// Keeps the request that was wanted.
    pub(super) fn keep(&mut self, script: &str, line: usize, command: Command, reply: &Reply<'_>) {
        let sample =
            Sample { script: script.to_owned(), line, command, answer: answer(reply, &[], SAMPLE_BYTES) };
        if self.kept.len() < self.most {
            self.kept.push(sample);
        } else {
            let place = self.random.below(self.most as u64);
            self.kept[usize::try_from(place).unwrap_or(0)] = sample;
        }
        self.next = self.seen + if self.kept.len() < self.most { 0 } else { self.skip() };
    }

    /// What was kept.
    pub(super) fn take(&mut self) -> Vec<Sample> {
        std::mem::take(&mut self.kept)
    }

    /// Requests to be passed over before the next one that is kept.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number of requests, cut off where no run gets to"
    )]
    fn skip(&mut self) -> u64 {
        // In (0, 1]: the logarithm of 0 has no end.
        let unit = |random: &mut Random| 1.0 - random.unit();
        self.width *= (unit(&mut self.random).ln() / self.most as f64).exp();
        (unit(&mut self.random).ln() / (1.0 - self.width).ln()).floor().clamp(0.0, 1e18) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of the requests that are kept of so many.
    fn kept(seed: u64, most: usize, of: u64) -> Vec<u64> {
        let mut sampler = Sampler::new(Random::new(seed), most);
        for number in 0..of {
            if sampler.wants() {
                let command = Command::Simple(number.to_string());
                sampler.keep("a", 1, command, &Reply::Count(0));
            }
        }
        let number = |sample: Sample| match sample.command {
            Command::Simple(text) => text.parse().unwrap(),
            other => panic!("{other:?}"),
        };
        sampler.take().into_iter().map(number).collect()
    }

    #[test]
    fn all_of_a_few_are_kept_and_of_many_any_are_as_likely() {
        assert_eq!(kept(1, 5, 3), [0, 1, 2]);
        assert!(kept(1, 0, 100).is_empty());
        assert_eq!(kept(7, 5, 1000), kept(7, 5, 1000));
        let mut quarters = [0_u32; 4];
        for seed in 0..400 {
            let found = kept(seed, 5, 1000);
            assert_eq!(found.len(), 5);
            for number in found {
                quarters[usize::try_from(number / 250).unwrap()] += 1;
            }
        }
        // 500 each, with a standard deviation below 20.
        assert!(quarters.iter().all(|count| (400..600).contains(count)), "{quarters:?}");
    }
}
