//! What keys are called, and in which order names stand.

use super::key_distribution::fnv64;

/// Sorts as the name of a key does, byte by byte: its digits, filled up with zeros on the right; then the shorter first.
pub(crate) type Rank = (u64, u8);

/// Digits of the largest number that a name shows: a hash without its sign.
const DIGITS: u8 = 19;

/// How keys are named.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyNames {
    /// By the hash of their number, or by the number itself.
    pub(crate) hashed: bool,
    /// Digits that a name has at least; zeros fill it up on the left.
    pub(crate) padding: u8,
}

impl KeyNames {
    /// The name of a key: `user` and digits.
    pub(crate) fn name(self, key: u64) -> Vec<u8> {
        format!("user{:0width$}", self.number(key), width = usize::from(self.padding)).into_bytes()
    }

    /// Where it stands among the others.
    pub(crate) fn rank(self, key: u64) -> Rank {
        let number = self.number(key);
        let digits = u8::try_from(number.checked_ilog10().unwrap_or(0) + 1).unwrap_or(u8::MAX);
        let shown = digits.max(self.padding);
        // Where all are as long as the longest, numbers stand in their own order.
        if shown >= DIGITS {
            return (number, shown);
        }
        // 10^19 fits into 64 bits.
        (number * 10_u64.pow(u32::from(DIGITS - shown)), shown)
    }

    fn number(self, key: u64) -> u64 {
        if self.hashed { fnv64(key) } else { key }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_sort_as_names() {
        for hashed in [true, false] {
            for padding in [1, 3, 12, 18, 19, 25] {
                let names = KeyNames { hashed, padding };
                let mut keys: Vec<u64> = (0..5_000).collect();
                keys.sort_by_key(|key| names.name(*key));
                assert!(keys.is_sorted_by_key(|key| names.rank(*key)), "{names:?}");
            }
        }
        let names = KeyNames { hashed: true, padding: 1 };
        assert!((0..5_000).any(|key| names.rank(key).1 < 18), "names of several lengths");
    }

    #[test]
    fn names_are_those_of_ycsb() {
        let name = |hashed, padding, key| String::from_utf8(KeyNames { hashed, padding }.name(key)).unwrap();
        assert_eq!(name(true, 1, 0), "user6284781860667377211");
        assert_eq!(name(false, 1, 5), "user5");
        assert_eq!(name(false, 8, 5), "user00000005");
    }
}
