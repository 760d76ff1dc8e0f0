//! Batch means of every size 2^k.

use crate::{Error, Moments};

/// Samples are worked off in blocks of this many.
const BLOCK: usize = 1 << BLOCK_LEVEL;
const BLOCK_LEVEL: usize = 12;

/// How many batch means are kept one by one at most, those of the smallest size that has no more.
pub const MOST_BATCHES: usize = 1024;

/// Consecutive batch means of one size.
#[derive(Clone, Debug, PartialEq)]
pub struct Batches {
    /// Samples in each batch, a power of two.
    pub size: u64,
    /// The means, in the order of time.
    pub means: Vec<f64>,
}

/// A series in the making: moments of its batch means at every size 2^k, and the means of up to 1,024 batches.
#[derive(Clone, Debug, Default)]
pub struct BatchMeans {
    /// For each size 2^k, k is the level.
    levels: Vec<Moments>,
    /// For each level, a batch that waits for a neighbour to become one batch of the next level.
    ///
    /// Below the level of a block there is none, except in a copy that was settled.
    open: Vec<Option<f64>>,
    /// The batch means of level `height`, all of them.
    tops: Vec<f64>,
    height: usize,
    /// The samples after the last block, fewer than a block.
    rest: Vec<f64>,
}

impl BatchMeans {
    /// No samples.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds samples at the end.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`]: one is NaN or infinite. Nothing is added.
    pub fn push(&mut self, samples: &[f64]) -> Result<(), Error> {
        // Without a branch in the loop, which would keep it from vector registers.
        if !samples.iter().fold(true, |all, sample| all & sample.is_finite()) {
            let bad = samples.iter().enumerate().find(|(_, sample)| !sample.is_finite());
            return bad.map_or(Ok(()), |(at, value)| Err(Error::NotFinite { at, value: *value }));
        }
        let mut scratch = Vec::with_capacity(BLOCK);
        let missing = (BLOCK - self.rest.len()) % BLOCK;
        let (head, samples) = samples.split_at(missing.min(samples.len()));
        self.rest.extend_from_slice(head);
        if self.rest.len() == BLOCK {
            let block = std::mem::take(&mut self.rest);
            self.absorb(&block, &mut scratch);
            self.rest = block;
            self.rest.clear();
        }
        let (blocks, rest) = samples.as_chunks::<BLOCK>();
        for block in blocks {
            self.absorb(block, &mut scratch);
        }
        self.rest.extend_from_slice(rest);
        Ok(())
    }

    /// Adds a later part of the same series.
    ///
    /// See the crate's documentation for where this is exact.
    pub fn merge(&mut self, later: &Self) {
        if later.levels.is_empty() {
            self.take_rest(later);
            return;
        }
        self.settle();
        while self.height < later.height {
            self.halve();
        }
        let mut tops = later.tops.clone();
        for _ in later.height..self.height {
            tops = halved(&tops);
        }
        self.tops.extend(tops);
        self.reserve(later.levels.len());
        let last = later.levels.len() - 1;
        let mut adjacent = true;
        for (level, theirs) in later.levels.iter().enumerate() {
            self.levels[level].append(theirs, adjacent);
            adjacent &= self.open[level].is_none();
            if level < last {
                self.open[level] = later.open[level];
            }
        }
        // The last level holds one batch: the only one that may still become a pair with one before.
        if let Some(mean) = later.open[last] {
            self.pair(last, mean);
        }
        self.shrink();
        self.take_rest(later);
    }

    /// Number of samples.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.levels.first().map_or(0, |samples| samples.batches) + self.rest.len() as u64
    }

    /// The moments at each size, from batches of one sample, the samples themselves, up to the last that has a batch.
    #[must_use]
    pub fn moments(&self) -> Vec<Moments> {
        let mut settled = self.clone();
        settled.settle();
        settled.levels
    }

    /// The means of at most `most` batches, of the smallest size that has no more (and never more than 1,024).
    ///
    /// Where there are samples and `most` is at least 1 there is at least one batch.
    #[must_use]
    pub fn batches(&self, most: usize) -> Batches {
        let mut settled = self.clone();
        settled.settle();
        while settled.tops.len() > most && settled.tops.len() > 1 {
            settled.halve();
        }
        Batches { size: 1 << settled.height, means: settled.tops }
    }

    /// Works off a block, or at the end of a series a smaller power of two of samples.
    fn absorb(&mut self, block: &[f64], scratch: &mut Vec<f64>) {
        debug_assert!(block.len().is_power_of_two());
        let top = block.len().ilog2() as usize;
        self.reserve(top + 1);
        scratch.clear();
        scratch.extend_from_slice(block);
        let mut means = scratch.as_mut_slice();
        for level in 0..top {
            self.levels[level].append(&Moments::of(means), true);
            if level == self.height {
                self.tops.extend_from_slice(means);
            }
            let half = means.len() / 2;
            for at in 0..half {
                means[at] = f64::midpoint(means[2 * at], means[2 * at + 1]);
            }
            means = &mut means[..half];
        }
        self.complete(top, means[0]);
        self.shrink();
    }

    /// A batch of this level is whole.
    fn complete(&mut self, level: usize, mean: f64) {
        self.reserve(level + 1);
        self.levels[level].append(&Moments::of(&[mean]), true);
        if level == self.height {
            self.tops.push(mean);
        }
        self.pair(level, mean);
    }

    /// A batch finds its neighbour, and is one of the next level with it, or waits.
    fn pair(&mut self, level: usize, mean: f64) {
        match self.open[level].take() {
            Some(before) => self.complete(level + 1, f64::midpoint(before, mean)),
            None => self.open[level] = Some(mean),
        }
    }

    /// Works off the samples after the last block. Only a seam or the end may follow.
    fn settle(&mut self) {
        let rest = std::mem::take(&mut self.rest);
        let mut left = rest.as_slice();
        let mut scratch = Vec::with_capacity(BLOCK);
        while !left.is_empty() {
            let (chunk, after) = left.split_at(1 << left.len().ilog2());
            self.absorb(chunk, &mut scratch);
            left = after;
        }
    }

    fn take_rest(&mut self, later: &Self) {
        // They are finite: they were pushed before.
        let taken = self.push(&later.rest);
        debug_assert!(taken.is_ok());
    }

    fn shrink(&mut self) {
        while self.tops.len() > MOST_BATCHES {
            self.halve();
        }
    }

    /// An odd one at the end is not lost: it is open at its level.
    fn halve(&mut self) {
        self.tops = halved(&self.tops);
        self.height += 1;
    }

    fn reserve(&mut self, levels: usize) {
        if self.levels.len() < levels {
            self.levels.resize_with(levels, Moments::default);
            self.open.resize(levels, None);
        }
    }
}

fn halved(means: &[f64]) -> Vec<f64> {
    let (pairs, _) = means.as_chunks::<2>();
    pairs.iter().map(|[a, b]| f64::midpoint(*a, *b)).collect()
}
