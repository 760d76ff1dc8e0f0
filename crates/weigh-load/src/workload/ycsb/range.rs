//! Lengths that are drawn: bytes of a field, rows of a scan.

use serde::Deserialize;

use crate::random::Random;

use super::key_distribution::Zipf;

/// How a length is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lengths {
    /// Always the greatest.
    Constant,
    /// All alike.
    Uniform,
    /// Short ones are popular.
    Zipfian,
}

/// From how much to how much, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// The least.
    pub least: u64,
    /// The greatest.
    pub most: u64,
    /// How it is drawn.
    pub lengths: Lengths,
}

impl Range {
    /// Always the same.
    #[must_use]
    pub const fn constant(number: u64) -> Self {
        Self { least: number, most: number, lengths: Lengths::Constant }
    }

    /// One of them.
    pub(crate) fn draw(self, random: &mut Random) -> u64 {
        let width = self.most - self.least + 1;
        match self.lengths {
            Lengths::Constant => self.most,
            Lengths::Uniform => self.least + random.below(width),
            Lengths::Zipfian => self.least + Zipf::over(width).draw(random),
        }
    }
}
