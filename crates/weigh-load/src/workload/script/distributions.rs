//! The random functions of scripts, with the distributions that pgbench documents.

use crate::random::Random;

/// Uniform in `low` to `high`, both included.
pub(crate) fn uniform(low: i64, high: i64, random: &mut Random) -> Result<i64, String> {
    if low > high {
        return Err(empty(low, high));
    }
    Ok(random.between(low, high))
}

/// *low + i* with the probability f(i) - f(i+1), where f(x) = exp(-parameter x / n) / (1 - exp(-parameter)) and *n* is
/// the number of values: an exponential distribution that is cut off at the end.
pub(crate) fn exponential(low: i64, high: i64, parameter: f64, random: &mut Random) -> Result<i64, String> {
    let width = width(low, high)?;
    if parameter <= 0.0 || parameter.is_nan() {
        return Err(format!("random_exponential with the parameter {parameter}; it must be above 0"));
    }
    let cut = (-parameter).exp();
    // In (cut, 1].
    let survival = 1.0 - (1.0 - cut) * random.unit();
    Ok(at(low, high, width * (-survival.ln() / parameter)))
}

/// A normal distribution around the middle, of which the ends of the range are `parameter` standard deviations away.
pub(crate) fn gaussian(low: i64, high: i64, parameter: f64, random: &mut Random) -> Result<i64, String> {
    const LEAST: f64 = 2.0;
    let width = width(low, high)?;
    if parameter < LEAST || parameter.is_nan() {
        return Err(format!("random_gaussian with the parameter {parameter}; it must be at least {LEAST}"));
    }
    loop {
        let deviate = normal(random);
        if (-parameter..parameter).contains(&deviate) {
            return Ok(at(low, high, width * (deviate + parameter) / (2.0 * parameter)));
        }
    }
}

/// *low - 1 + k* with a probability proportional to *k*^-parameter, by rejection (Devroye 1986, "Non-Uniform Random
/// Variate Generation", chapter X.6.1).
pub(crate) fn zipfian(low: i64, high: i64, parameter: f64, random: &mut Random) -> Result<i64, String> {
    const LEAST: f64 = 1.001;
    const MOST: f64 = 1000.0;
    let width = width(low, high)?;
    if !(LEAST..=MOST).contains(&parameter) {
        return Err(format!(
            "random_zipfian with the parameter {parameter}; it must be from {LEAST} to {MOST}"
        ));
    }
    if width < 2.0 {
        return Ok(low);
    }
    let excess = parameter - 1.0;
    let bound = excess.exp2();
    loop {
        let (u, v) = (1.0 - random.unit(), random.unit());
        let value = u.powf(-1.0 / excess).floor();
        if value > width {
            continue;
        }
        let ratio = (1.0 + 1.0 / value).powf(excess);
        if v * value * (ratio - 1.0) / (bound - 1.0) <= ratio / bound {
            return Ok(at(low, high, value - 1.0));
        }
    }
}

/// A standard normal deviate (Box, Muller 1958).
fn normal(random: &mut Random) -> f64 {
    let radius = (-2.0 * (1.0 - random.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.unit()).cos()
}

fn empty(low: i64, high: i64) -> String {
    format!("a random number from {low} to {high}, where there is none")
}

/// The number of values in a range.
#[expect(clippy::cast_precision_loss, reason = "a range beyond 2^53 has no finer steps")]
fn width(low: i64, high: i64) -> Result<f64, String> {
    match high.checked_sub(low).and_then(|width| width.checked_add(1)) {
        Some(width) if width > 0 => Ok(width as f64),
        Some(_) => Err(empty(low, high)),
        None if low > high => Err(empty(low, high)),
        None => Err(format!("a random number from {low} to {high}, which is too wide a range")),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the floor of an offset into the range")]
fn at(low: i64, high: i64, offset: f64) -> i64 {
    low.saturating_add(offset.floor() as i64).clamp(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: i32 = 200_000;
    const LOW: i64 = -3;
    const HIGH: i64 = 16;
    const WIDTH: i64 = HIGH - LOW + 1;

    /// Every value within five standard deviations, and chi-square below the 1e-6 quantile of 19 degrees of freedom.
    fn follows(distribution: impl Fn(f64) -> f64, mut draw: impl FnMut(&mut Random) -> i64) {
        let mut random = Random::new(9);
        let mut counts = vec![0.0_f64; usize::try_from(WIDTH).unwrap()];
        for _ in 0..DRAWS {
            counts[usize::try_from(draw(&mut random) - LOW).unwrap()] += 1.0;
        }
        let mut chi_square = 0.0;
        for (index, count) in (0_i32..).zip(&counts) {
            let probability = distribution(f64::from(index));
            let mean = probability * f64::from(DRAWS);
            assert!((count - mean).abs() <= 5.0 * mean.sqrt() + 1.0, "{index}: {count} of {mean}");
            chi_square += (count - mean).powi(2) / mean.max(1.0);
        }
        assert!(chi_square < 60.0, "{chi_square}");
    }

    /// The cumulative normal distribution, by numerical integration.
    fn phi(x: f64) -> f64 {
        let steps = 2_000;
        let step = x / f64::from(steps);
        let density = |at: f64| (-at * at / 2.0).exp() / std::f64::consts::TAU.sqrt();
        0.5 + (0..steps).map(|k| density((f64::from(k) + 0.5) * step) * step).sum::<f64>()
    }

    #[test]
    fn uniform_follows_its_distribution() {
        follows(|_| 1.0 / 20.0, |random| uniform(LOW, HIGH, random).unwrap());
    }

    #[test]
    fn exponential_follows_its_distribution() {
        for parameter in [0.1, 2.5, 9.0] {
            let f = |x: f64| (-parameter * x / 20.0).exp() / (1.0 - (-parameter).exp());
            follows(|i| f(i) - f(i + 1.0), |random| exponential(LOW, HIGH, parameter, random).unwrap());
        }
    }

    #[test]
    fn gaussian_follows_its_distribution() {
        for parameter in [2.0, 3.5] {
            // As documented: PHI(2 parameter (x - mu) / n) / (2 PHI(parameter) - 1), between i - 0.5 and i + 0.5.
            let f = |x: f64| phi(2.0 * parameter * (x - 9.5) / 20.0) / (2.0 * phi(parameter) - 1.0);
            follows(|i| f(i + 0.5) - f(i - 0.5), |random| gaussian(LOW, HIGH, parameter, random).unwrap());
        }
    }

    #[test]
    fn zipfian_follows_its_distribution() {
        for parameter in [1.07, 2.5] {
            let sum: f64 = (1..=20).map(|k| f64::from(k).powf(-parameter)).sum();
            follows(
                |i| (i + 1.0).powf(-parameter) / sum,
                |random| zipfian(LOW, HIGH, parameter, random).unwrap(),
            );
        }
    }

    #[test]
    fn what_has_no_distribution_is_refused() {
        let random = &mut Random::new(1);
        assert!(uniform(2, 1, random).is_err());
        assert!(exponential(1, 2, 0.0, random).is_err() && exponential(1, 2, f64::NAN, random).is_err());
        assert!(gaussian(1, 2, 1.9, random).is_err());
        assert!(zipfian(1, 2, 1.0, random).is_err() && zipfian(1, 2, 1001.0, random).is_err());
        assert!(gaussian(i64::MIN, i64::MAX, 3.0, random).is_err());
        assert_eq!(zipfian(5, 5, 1.5, random), Ok(5));
        assert_eq!(uniform(i64::MAX, i64::MAX, random), Ok(i64::MAX));
    }
}
