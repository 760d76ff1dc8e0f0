//! The ladder: batch means of every size 2^k.

use crate::{Error, Rung};

/// Samples are worked off in blocks of this many.
const BLOCK: usize = 1 << BLOCK_RUNG;
const BLOCK_RUNG: usize = 12;

/// How many batch means a ladder keeps one by one at most, those of the finest rung that has no more.
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
pub struct Ladder {
    rungs: Vec<Rung>,
    /// For each rung, a batch that waits for a neighbour to become one batch of the next rung.
    ///
    /// Below the rung of a block there is none, except in a copy that was settled.
    open: Vec<Option<f64>>,
    /// The batch means of rung `height`, all of them.
    tops: Vec<f64>,
    height: usize,
    /// The samples after the last block, fewer than a block.
    rest: Vec<f64>,
}

impl Ladder {
    /// An empty ladder.
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
        if later.rungs.is_empty() {
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
        self.reserve(later.rungs.len());
        let last = later.rungs.len() - 1;
        let mut adjacent = true;
        for (rung, theirs) in later.rungs.iter().enumerate() {
            self.rungs[rung].append(theirs, adjacent);
            adjacent &= self.open[rung].is_none();
            if rung < last {
                self.open[rung] = later.open[rung];
            }
        }
        // The last rung of a ladder holds one batch: the only one that may still become a pair with one before.
        if let Some(mean) = later.open[last] {
            self.pair(last, mean);
        }
        self.shrink();
        self.take_rest(later);
    }

    /// Number of samples.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.rungs.first().map_or(0, |samples| samples.batches) + self.rest.len() as u64
    }

    /// The rungs from batches of one sample, the samples themselves, up to the last that has a batch.
    #[must_use]
    pub fn rungs(&self) -> Vec<Rung> {
        let mut settled = self.clone();
        settled.settle();
        settled.rungs
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
        for rung in 0..top {
            self.rungs[rung].append(&Rung::of(means), true);
            if rung == self.height {
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

    /// A batch of this rung is whole.
    fn complete(&mut self, rung: usize, mean: f64) {
        self.reserve(rung + 1);
        self.rungs[rung].append(&Rung::of(&[mean]), true);
        if rung == self.height {
            self.tops.push(mean);
        }
        self.pair(rung, mean);
    }

    /// A batch finds its neighbour, and is one of the next rung with it, or waits.
    fn pair(&mut self, rung: usize, mean: f64) {
        match self.open[rung].take() {
            Some(before) => self.complete(rung + 1, f64::midpoint(before, mean)),
            None => self.open[rung] = Some(mean),
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

    /// An odd one at the end is not lost: it is open at its rung.
    fn halve(&mut self) {
        self.tops = halved(&self.tops);
        self.height += 1;
    }

    fn reserve(&mut self, rungs: usize) {
        if self.rungs.len() < rungs {
            self.rungs.resize_with(rungs, Rung::default);
            self.open.resize(rungs, None);
        }
    }
}

fn halved(means: &[f64]) -> Vec<f64> {
    let (pairs, _) = means.as_chunks::<2>();
    pairs.iter().map(|[a, b]| f64::midpoint(*a, *b)).collect()
}
