//! The draws of clause 2.1.6 of TPC-C: not uniform, so that some rows are asked for more often than others.

use serde::Deserialize;

use crate::random::Random;

/// Districts of a warehouse.
pub(crate) const DISTRICTS: i64 = 10;
/// Customers of a district.
const CUSTOMERS: i64 = 3_000;
/// Items, which all warehouses share.
pub(crate) const ITEMS: i64 = 100_000;
/// The parts of which last names are made (clause 4.3.2.3).
const SYLLABLES: [&str; 10] =
    ["BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"];

/// The constants C of a load and of the runs behind it.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Nurand {
    /// Of last names, while the customers are made.
    pub load: i64,
    /// Of last names in a run; clause 2.1.6.1 says how far it must be from `load`.
    pub run: i64,
    /// Of numbers of customers.
    pub customer: i64,
    /// Of numbers of items.
    pub item: i64,
}

impl Nurand {
    /// Those of a run.
    pub(super) fn of_run(self) -> Constants {
        Constants { last_name: self.run, customer: self.customer, item: self.item }
    }
}

/// The constants C of a run: each moves one distribution to another place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constants {
    /// Of last names, 0 to 255.
    pub last_name: i64,
    /// Of numbers of customers, 0 to 1023.
    pub customer: i64,
    /// Of numbers of items, 0 to 8191.
    pub item: i64,
}

impl Constants {
    /// A number of a customer.
    pub(super) fn customer(self, random: &mut Random) -> i64 {
        drawn(random, 1_023, (1, CUSTOMERS), self.customer)
    }

    /// A number of an item.
    pub(super) fn item(self, random: &mut Random) -> i64 {
        drawn(random, 8_191, (1, ITEMS), self.item)
    }

    /// A last name.
    pub(super) fn last_name(self, random: &mut Random) -> String {
        last_name(drawn(random, 255, (0, 999), self.last_name))
    }
}

/// A last name while the customers are made, with the constant of that.
pub(super) fn last_name_of_load(random: &mut Random, constant: i64) -> String {
    last_name(drawn(random, 255, (0, 999), constant))
}

/// NURand(a, x, y), x and y both included.
fn drawn(random: &mut Random, a: i64, (x, y): (i64, i64), c: i64) -> i64 {
    ((random.between(0, a) | random.between(x, y)) + c) % (y - x + 1) + x
}

/// The last name of a number from 0 to 999.
pub(super) fn last_name(number: i64) -> String {
    let syllable = |place: i64| SYLLABLES[usize::try_from(number / place % 10).unwrap_or(0)];
    [syllable(100), syllable(10), syllable(1)].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_names_are_those_of_the_specification() {
        assert_eq!(last_name(371), "PRICALLYOUGHT");
        assert_eq!(last_name(40), "BARPRESBAR");
        assert_eq!(last_name(0), "BARBARBAR");
    }

    #[test]
    fn draws_stay_in_range_are_uneven_and_move_with_the_constant() {
        let counts = |c: i64| {
            let mut random = Random::new(3);
            let mut counts = [0_u32; 1_000];
            for _ in 0..100_000 {
                counts[usize::try_from(drawn(&mut random, 255, (0, 999), c)).unwrap()] += 1;
            }
            counts
        };
        let (still, moved) = (counts(0), counts(100));
        // Moved as a whole: number n without a constant is number n + 100 with it.
        assert!((0..1_000).all(|number| still[number] == moved[(number + 100) % 1_000]));
        let most = *still.iter().max().unwrap();
        // Uniform ones would be 100 each: 255 of 256 numbers of a block are drawn less often than its last one.
        assert!(most > 500 && *still.iter().min().unwrap() < 30, "{most}");
    }
}
