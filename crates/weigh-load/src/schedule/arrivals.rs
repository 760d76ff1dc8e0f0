//! How requests arrive: what can be asked for, and when each is due.

use std::sync::Arc;

use crate::Error;
use crate::clock::SECOND;

pub(super) const NANO: f64 = 1e9;
/// Rates are kept in millionths of a request per second, so that the times of a constant rate are exact.
const MICRO: f64 = 1e6;

/// How requests arrive.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrivals {
    /// Request i is due at i / rate.
    Constant {
        /// Requests a second.
        rate: f64,
    },
    /// Independent users: gaps are exponentially distributed.
    Poisson {
        /// Requests a second, in the mean.
        rate: f64,
        /// Of the gaps.
        seed: u64,
    },
    /// Bursts of independent users: at `peak` times the mean rate for `length` seconds, then nobody for a time that is
    /// exponentially distributed. Over a long time the mean is `rate`; the beginning is any moment of it.
    Bursts {
        /// Requests a second, in the mean.
        rate: f64,
        /// Rate within a burst to the mean rate, above 1.
        peak: f64,
        /// Seconds of a burst.
        length: f64,
        /// Of the gaps.
        seed: u64,
    },
    /// Evenly spaced requests at `peak` times the mean rate for `length` seconds, then none until the mean is reached.
    EvenBursts {
        /// Requests a second, in the mean.
        rate: f64,
        /// Rate within a burst to the mean rate, above 1.
        peak: f64,
        /// Seconds of a burst.
        length: f64,
    },
    /// A rate that changes evenly over the run.
    Ramp {
        /// Requests a second at the beginning.
        from: f64,
        /// Requests a second at the end.
        to: f64,
        /// Seconds from one to the other.
        over: f64,
    },
    /// Rates one after another; the last one stays.
    Steps {
        /// Requests a second of each step.
        rates: Vec<f64>,
        /// Seconds of a step.
        step: f64,
    },
    /// Moments as they were recorded, in nanoseconds after the beginning, in order.
    Trace(Arc<[u64]>),
    /// No schedule: each connection sends when its last request is answered.
    Closed,
}

impl Arrivals {
    /// Whether it can be walked.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`]: a rate, a length or a moment is out of range.
    pub fn check(&self) -> Result<(), Error> {
        let right = match self {
            Self::Constant { rate } | Self::Poisson { rate, .. } => positive(*rate),
            Self::Bursts { rate, peak, length, .. } | Self::EvenBursts { rate, peak, length } => {
                positive(*rate) && *peak > 1.0 && peak.is_finite() && positive(*length)
            }
            Self::Ramp { from, to, over } => {
                *from >= 0.0 && *to >= 0.0 && positive(from + to) && positive(*over)
            }
            Self::Steps { rates, step } => {
                rates.iter().all(|rate| *rate >= 0.0 && rate.is_finite())
                    && positive(rates.iter().sum())
                    && positive(*step)
            }
            Self::Trace(moments) => !moments.is_empty() && moments.is_sorted(),
            Self::Closed => true,
        };
        right
            .then_some(())
            .ok_or_else(|| Error::Setting(format!("these arrivals cannot be: {self:?}. {RULE}")))
    }

    /// When request `index` is due, where no chance is involved.
    pub(super) fn moment(&self, index: u64) -> Option<u64> {
        match self {
            Self::Constant { rate } => {
                let micro = u128::from(whole(rate * MICRO)).max(1);
                u64::try_from(u128::from(index) * u128::from(SECOND) * 1_000_000 / micro).ok()
            }
            Self::EvenBursts { rate, peak, length } => {
                let each = rate * peak * length;
                let burst = (float(index) / each).floor();
                let rest = (float(index) - burst * each).clamp(0.0, each);
                Some(whole((burst * length * peak + rest / (rate * peak)) * NANO))
            }
            Self::Ramp { from, to, over } => {
                // The time t at which from * t + (to - from) / (2 * over) * t^2 requests were due, in the form that does
                // not lose digits.
                let slope = (to - from) / over;
                let inside = from * from + 2.0 * slope * float(index);
                let below = from + inside.sqrt();
                if index == 0 {
                    return Some(0);
                }
                (inside >= 0.0 && below > 0.0).then(|| whole(2.0 * float(index) / below * NANO))
            }
            Self::Steps { rates, step } => {
                let (mut begun, mut before) = (0.0, 0.0);
                for (place, rate) in rates.iter().enumerate() {
                    let inside = rate * step;
                    let last = place + 1 == rates.len();
                    if *rate > 0.0 && (last || float(index) < before + inside) {
                        return Some(whole((begun + (float(index) - before) / rate) * NANO));
                    }
                    before += inside;
                    begun += step;
                }
                None
            }
            Self::Trace(moments) => moments.get(usize::try_from(index).ok()?).copied(),
            Self::Poisson { .. } | Self::Bursts { .. } | Self::Closed => None,
        }
    }
}

const RULE: &str = "Rates are from 0.000001 to 10,000,000 a second and lengths positive, a burst's peak is above 1, \
                    and the times of a trace are in order";

fn positive(number: f64) -> bool {
    (1e-6..=1e7).contains(&number)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates, which is past every end"
)]
pub(super) fn whole(number: f64) -> u64 {
    number.round() as u64
}

#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 requests")]
pub(super) fn float(index: u64) -> f64 {
    index as f64
}
