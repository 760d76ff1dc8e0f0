//! What is kept of the batches of one size.

/// How many sums run side by side, so that the compiler can put them into vector registers.
const LANES: usize = 8;

/// The moments of the batch means of one size, in their order.
///
/// Central moments are kept about the mean and joined by the formulas of Chan, Golub and LeVeque (1983) and Pébay
/// (2008); the correlation of neighbours by the squares of successive differences (von Neumann, 1941), which need no
/// mean and so no second pass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    /// Number of batches.
    pub batches: u64,
    /// Mean of the batch means; 0 without any.
    pub mean: f64,
    /// Sum of the squares of the deviations from the mean.
    pub squares: f64,
    /// Sum of the cubes of the deviations from the mean.
    pub cubes: f64,
    /// Number of pairs of neighbours, one less than batches unless seams lie between them.
    pub pairs: u64,
    /// Sum of the squares of the differences of neighbours.
    pub differences: f64,
    first: f64,
    last: f64,
}

impl Moments {
    /// The moments of values in their order.
    pub(crate) fn of(values: &[f64]) -> Self {
        let (Some(first), Some(last)) = (values.first(), values.last()) else {
            return Self::default();
        };
        let mean = sum(values, |value| value) / length(values);
        let squares = sum(values, |value| (value - mean) * (value - mean));
        let cubes = sum(values, |value| (value - mean) * (value - mean) * (value - mean));
        Self {
            batches: values.len() as u64,
            mean,
            squares,
            cubes,
            pairs: values.len() as u64 - 1,
            differences: differences(values),
            first: *first,
            last: *last,
        }
    }

    /// Unbiased variance of the batch means; `None` below two.
    #[must_use]
    pub fn variance(&self) -> Option<f64> {
        (self.batches > 1).then(|| self.squares / as_float(self.batches - 1))
    }

    /// Third central moment over the cube of the standard deviation; `None` below two, or where nothing varies.
    #[must_use]
    pub fn skewness(&self) -> Option<f64> {
        let count = as_float(self.batches);
        (self.batches > 1 && self.squares > 0.0)
            .then(|| self.cubes / count / (self.squares / count).powf(1.5))
    }

    /// Correlation of neighbouring batch means by von Neumann's ratio, unbiased for independent ones.
    ///
    /// `None` without pairs, or where nothing varies.
    #[must_use]
    pub fn correlation(&self) -> Option<f64> {
        let variance = self.variance().filter(|variance| *variance > 0.0)?;
        (self.pairs > 0).then(|| 1.0 - self.differences / as_float(self.pairs) / (2.0 * variance))
    }

    /// Adds the batches that follow. `adjacent`: nothing is missing in between.
    pub(crate) fn append(&mut self, later: &Self, adjacent: bool) {
        if later.batches == 0 {
            return;
        }
        if self.batches == 0 {
            *self = *later;
            return;
        }
        let (left, right) = (as_float(self.batches), as_float(later.batches));
        let whole = left + right;
        let gap = later.mean - self.mean;
        self.cubes += later.cubes
            + gap * gap * gap * left * right * (left - right) / (whole * whole)
            + 3.0 * gap * (left * later.squares - right * self.squares) / whole;
        self.squares += later.squares + gap * gap * left * right / whole;
        self.mean += gap * right / whole;
        self.batches += later.batches;
        self.differences += later.differences;
        self.pairs += later.pairs;
        if adjacent {
            self.differences += (later.first - self.last) * (later.first - self.last);
            self.pairs += 1;
        }
        self.last = later.last;
    }
}

/// The sum over the values of what a function makes of each.
fn sum(values: &[f64], term: impl Fn(f64) -> f64) -> f64 {
    let mut lanes = [0.0; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane += term(*value);
        }
    }
    lanes.iter().sum::<f64>() + rest.iter().map(|value| term(*value)).sum::<f64>()
}

/// The sum of the squares of the differences of neighbours.
fn differences(values: &[f64]) -> f64 {
    let later = &values[1..];
    let mut lanes = [0.0; LANES];
    let (left, left_rest) = values[..later.len()].as_chunks::<LANES>();
    let (right, right_rest) = later.as_chunks::<LANES>();
    for (a, b) in left.iter().zip(right) {
        for ((lane, a), b) in lanes.iter_mut().zip(a).zip(b) {
            *lane += (b - a) * (b - a);
        }
    }
    let rest = left_rest.iter().zip(right_rest).map(|(a, b)| (b - a) * (b - a)).sum::<f64>();
    lanes.iter().sum::<f64>() + rest
}

fn length(values: &[f64]) -> f64 {
    as_float(values.len() as u64)
}

#[expect(clippy::cast_precision_loss, reason = "counts beyond 2^53 do not occur")]
fn as_float(count: u64) -> f64 {
    count as f64
}
