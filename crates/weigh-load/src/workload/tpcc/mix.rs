//! Which transaction comes next, and how long a terminal's user types and thinks.

use std::time::Duration;

use crate::random::Random;

/// A transaction of TPC-C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    NewOrder,
    Payment,
    OrderStatus,
    Delivery,
    StockLevel,
}

/// How often each comes in a deck. Of 23 cards: each of the last four keeps its minimum of clause 5.2.3 (43, 4, 4 and 4 %)
/// with a little to spare, so that the end of a run does not take it below.
const CARDS: [(Kind, usize); 5] = [
    (Kind::NewOrder, 10),
    (Kind::Payment, 10),
    (Kind::OrderStatus, 1),
    (Kind::Delivery, 1),
    (Kind::StockLevel, 1),
];
/// No user thinks longer than so many times the mean (clause 5.2.5.4).
const LONGEST: f64 = 10.0;

impl Kind {
    /// Seconds in which a user types what it asks for.
    pub(super) fn keying_s(self) -> f64 {
        match self {
            Self::NewOrder => 18.0,
            Self::Payment => 3.0,
            Self::OrderStatus | Self::Delivery | Self::StockLevel => 2.0,
        }
    }

    /// Mean seconds that a user thinks about its answer.
    fn thinking_s(self) -> f64 {
        match self {
            Self::NewOrder | Self::Payment => 12.0,
            Self::OrderStatus => 10.0,
            Self::Delivery | Self::StockLevel => 5.0,
        }
    }

    /// Its place in what is counted of each kind.
    pub(super) fn place(self) -> usize {
        self as usize
    }

    /// A time to think, in seconds: negative exponential.
    pub(super) fn think_s(self, random: &mut Random) -> f64 {
        // 1 - u is never 0.
        let times = -(1.0 - random.unit()).ln();
        self.thinking_s() * times.min(LONGEST)
    }
}

/// Transactions in random order, each as often as it must come; shuffled anew when all have come.
#[derive(Debug, Default)]
pub(super) struct Deck(Vec<Kind>);

impl Deck {
    pub(super) fn next(&mut self, random: &mut Random) -> Kind {
        if self.0.is_empty() {
            self.0 = CARDS.iter().flat_map(|(kind, times)| std::iter::repeat_n(*kind, *times)).collect();
            for last in (1..self.0.len()).rev() {
                let other = random.below(last as u64 + 1);
                self.0.swap(last, usize::try_from(other).unwrap_or(last));
            }
        }
        self.0.pop().unwrap_or(Kind::NewOrder)
    }
}

/// A duration of so many seconds, none of which is negative or long.
pub(super) fn seconds(value: f64) -> Duration {
    Duration::from_secs_f64(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_deck_holds_the_whole_mix() {
        let (mut deck, mut random) = (Deck::default(), Random::new(1));
        for _ in 0..5 {
            let mut counts = [0; 5];
            for _ in 0..23 {
                counts[deck.next(&mut random).place()] += 1;
            }
            assert_eq!(counts, [10, 10, 1, 1, 1]);
        }
    }

    #[test]
    fn times_to_think_have_their_mean_and_their_end() {
        let mut random = Random::new(2);
        let drawn: Vec<f64> = (0..20_000).map(|_| Kind::Payment.think_s(&mut random)).collect();
        let mean = drawn.iter().sum::<f64>() / 20_000.0;
        assert!((11.6..12.4).contains(&mean), "{mean}");
        assert!(drawn.iter().all(|time| (0.0..=120.0).contains(time)));
    }
}
