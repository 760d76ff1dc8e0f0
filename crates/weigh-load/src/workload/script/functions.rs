//! The operators and functions of expressions.

use super::distributions;
use super::value::Value;
use crate::random::{Random, scatter};

/// An operator or a function; `pgbench` documents what each does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Add,
    Subtract,
    Multiply,
    Divide,
    Mod,
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    Is,
    Abs,
    Concat,
    Debug,
    Double,
    Exp,
    Largest,
    Least,
    HashFnv1a,
    HashMurmur2,
    Int,
    Ln,
    Permute,
    Pi,
    Power,
    Random,
    RandomExponential,
    RandomGaussian,
    RandomZipfian,
    Sqrt,
}

/// The variable that holds the seed of hashes where none is given.
pub(crate) const DEFAULT_SEED: &str = "default_seed";

impl Function {
    /// The function of a name in lower case, with the fewest and the most arguments.
    pub(crate) fn named(name: &str) -> Option<(Self, usize, usize)> {
        Some(match name {
            "abs" => (Self::Abs, 1, 1),
            "concat" => (Self::Concat, 1, usize::MAX),
            "debug" => (Self::Debug, 1, 1),
            "double" => (Self::Double, 1, 1),
            "exp" => (Self::Exp, 1, 1),
            "greatest" => (Self::Largest, 1, usize::MAX),
            "hash" | "hash_murmur2" => (Self::HashMurmur2, 1, 2),
            "hash_fnv1a" => (Self::HashFnv1a, 1, 2),
            "int" => (Self::Int, 1, 1),
            "least" => (Self::Least, 1, usize::MAX),
            "ln" => (Self::Ln, 1, 1),
            "mod" => (Self::Mod, 2, 2),
            "permute" => (Self::Permute, 2, 3),
            "pi" => (Self::Pi, 0, 0),
            "pow" | "power" => (Self::Power, 2, 2),
            "random" => (Self::Random, 2, 2),
            "random_exponential" => (Self::RandomExponential, 3, 3),
            "random_gaussian" => (Self::RandomGaussian, 3, 3),
            "random_zipfian" => (Self::RandomZipfian, 3, 3),
            "sqrt" => (Self::Sqrt, 1, 1),
            _ => return None,
        })
    }

    /// The variable that stands for an argument that is not given.
    pub(crate) fn default_seed(self, given: usize) -> Option<&'static str> {
        match (self, given) {
            (Self::HashFnv1a | Self::HashMurmur2, 1) | (Self::Permute, 2) => Some(DEFAULT_SEED),
            _ => None,
        }
    }

    /// The operator that does the same with its operands the other way round.
    pub(crate) fn swapped(self) -> Option<Self> {
        match self {
            Self::Greater => Some(Self::Less),
            Self::AtLeast => Some(Self::AtMost),
            _ => None,
        }
    }

    /// Applies it. Of NULL comes NULL, but for `IS`, `concat` and `debug`.
    pub(crate) fn apply(self, arguments: &[Value], random: &mut Random) -> Result<Value, String> {
        match (self, arguments) {
            (Self::Is, [left, right]) => return Ok(Value::Bool(left == right)),
            (Self::Debug, [value]) => return Ok(value.clone()),
            // As in SQL, NULL adds nothing.
            (Self::Concat, _) => {
                let parts = arguments.iter().filter(|part| **part != Value::Null);
                return Ok(Value::Text(parts.map(Value::text).collect()));
            }
            (Self::Pi, []) => return Ok(Value::Float(std::f64::consts::PI)),
            _ if arguments.contains(&Value::Null) => return Ok(Value::Null),
            (Self::Largest | Self::Least, _) => return self.extreme(arguments),
            _ => {}
        }
        match arguments {
            [value] => self.unary(value),
            [left, right] => self.binary(left, right, random),
            [a, b, c] => self.ternary(a, b, c, random),
            _ => Err(wrong_arguments()),
        }
    }

    fn unary(self, value: &Value) -> Result<Value, String> {
        Ok(match (self, value) {
            (Self::Abs, Value::Float(value)) => Value::Float(value.abs()),
            (Self::Abs, value) => Value::Int(value.int()?.checked_abs().ok_or_else(overflow)?),
            (Self::Int, value) => Value::Int(value.int()?),
            (Self::Double, value) => Value::Float(value.float()?),
            (Self::Exp, value) => Value::Float(value.float()?.exp()),
            (Self::Ln, value) => Value::Float(value.float()?.ln()),
            (Self::Sqrt, value) => Value::Float(value.float()?.sqrt()),
            _ => return Err(wrong_arguments()),
        })
    }

    fn binary(self, left: &Value, right: &Value, random: &mut Random) -> Result<Value, String> {
        let floats = matches!(left, Value::Float(_)) || matches!(right, Value::Float(_));
        match self {
            Self::Add | Self::Subtract | Self::Multiply | Self::Divide if floats => {
                let (left, right) = (left.float()?, right.float()?);
                Ok(Value::Float(match self {
                    Self::Add => left + right,
                    Self::Subtract => left - right,
                    Self::Multiply => left * right,
                    _ => left / right,
                }))
            }
            Self::Equal | Self::Unequal | Self::Less | Self::AtMost => {
                // Without a float, all 64 bits count.
                let order = if floats {
                    left.float()?.partial_cmp(&right.float()?)
                } else {
                    Some(left.int()?.cmp(&right.int()?))
                };
                Ok(Value::Bool(match self {
                    Self::Equal => order.is_some_and(std::cmp::Ordering::is_eq),
                    Self::Unequal => !order.is_some_and(std::cmp::Ordering::is_eq),
                    Self::Less => order.is_some_and(std::cmp::Ordering::is_lt),
                    _ => order.is_some_and(std::cmp::Ordering::is_le),
                }))
            }
            Self::Power => Ok(Value::Float(left.float()?.powf(right.float()?))),
            _ => self.whole(left.int()?, right.int()?, random),
        }
    }

    /// Of two whole numbers.
    fn whole(self, left: i64, right: i64, random: &mut Random) -> Result<Value, String> {
        let value = match self {
            Self::Add => left.checked_add(right),
            Self::Subtract => left.checked_sub(right),
            Self::Multiply => left.checked_mul(right),
            Self::Divide | Self::Mod if right == 0 => return Err("division by zero".into()),
            Self::Divide => left.checked_div(right),
            // The remainder of -2^63 by -1 is 0, which the processor does not know.
            Self::Mod => Some(left.wrapping_rem(right)),
            Self::BitAnd => Some(left & right),
            Self::BitOr => Some(left | right),
            Self::BitXor => Some(left ^ right),
            Self::ShiftLeft => Some(shift(right).map_or(0, |bits| left << bits)),
            Self::ShiftRight => Some(shift(right).map_or(if left < 0 { -1 } else { 0 }, |bits| left >> bits)),
            Self::HashFnv1a => Some(hash_fnv1a(left, right)),
            Self::HashMurmur2 => Some(hash_murmur2(left, right)),
            Self::Random => Some(distributions::uniform(left, right, random)?),
            _ => return Err(wrong_arguments()),
        };
        value.map(Value::Int).ok_or_else(overflow)
    }

    fn ternary(self, a: &Value, b: &Value, c: &Value, random: &mut Random) -> Result<Value, String> {
        let (first, second) = (a.int()?, b.int()?);
        Ok(Value::Int(match self {
            Self::Permute => permute(first, second, c.int()?)?,
            Self::RandomExponential => distributions::exponential(first, second, c.float()?, random)?,
            Self::RandomGaussian => distributions::gaussian(first, second, c.float()?, random)?,
            Self::RandomZipfian => distributions::zipfian(first, second, c.float()?, random)?,
            _ => return Err(wrong_arguments()),
        }))
    }

    fn extreme(self, arguments: &[Value]) -> Result<Value, String> {
        if arguments.iter().any(|value| matches!(value, Value::Float(_))) {
            let mut values = arguments.iter().map(Value::float);
            let first = values.next().unwrap_or(Ok(0.0))?;
            let extreme = values.try_fold(first, |extreme, value| {
                value.map(|value| if self == Self::Least { extreme.min(value) } else { extreme.max(value) })
            })?;
            return Ok(Value::Float(extreme));
        }
        let values = arguments.iter().map(Value::int).collect::<Result<Vec<i64>, String>>()?;
        let extreme = if self == Self::Least { values.iter().min() } else { values.iter().max() };
        extreme.copied().map(Value::Int).ok_or_else(wrong_arguments)
    }
}

fn shift(bits: i64) -> Option<u32> {
    u32::try_from(bits).ok().filter(|bits| *bits < 64)
}

fn overflow() -> String {
    "the result is out of the range of a bigint".into()
}

fn wrong_arguments() -> String {
    "arguments of the wrong kind".into()
}

/// FNV-1a (Fowler, Noll, Vo) of the 8 bytes from the lowest, begun with the seed mixed into its offset.
fn hash_fnv1a(value: i64, seed: i64) -> i64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ seed.cast_unsigned();
    for byte in value.to_le_bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash.cast_signed()
}

/// MurmurHash64A (Appleby) of the 8 bytes.
fn hash_murmur2(value: i64, seed: i64) -> i64 {
    const M: u64 = 0xc6a4_a793_5bd1_e995;
    const R: u32 = 47;
    let mut block = value.cast_unsigned().wrapping_mul(M);
    block = (block ^ (block >> R)).wrapping_mul(M);
    let mut hash = seed.cast_unsigned() ^ M.wrapping_mul(8);
    hash = (hash ^ block).wrapping_mul(M);
    hash = (hash ^ (hash >> R)).wrapping_mul(M);
    (hash ^ (hash >> R)).cast_signed()
}

/// Where `value`, modulo `size`, stands in a permutation of 0 to `size` - 1 that the seed names.
///
/// A Feistel network over the next even number of bits, walked along its cycle until it is in range (Black, Rogaway
/// 2002, "Ciphers with arbitrary finite domains").
fn permute(value: i64, size: i64, seed: i64) -> Result<i64, String> {
    const ROUNDS: u8 = 6;
    if size <= 0 {
        return Err(format!("permute over {size} places; there must be one at least"));
    }
    let (start, size) = (value.rem_euclid(size).cast_unsigned(), size.cast_unsigned());
    let half = (64 - (size - 1).leading_zeros()).div_ceil(2).max(1);
    let mask = (1_u64 << half) - 1;
    let mut position = start;
    loop {
        let (mut left, mut right) = (position >> half, position & mask);
        for round in 0..ROUNDS {
            let key = scatter(seed.cast_unsigned() ^ scatter(round.into()));
            (left, right) = (right, left ^ (scatter(right ^ key) & mask));
        }
        position = left << half | right;
        if position < size {
            return Ok(position.cast_signed());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permute_is_a_permutation_for_every_size_and_seed() {
        for size in [1, 2, 3, 4, 5, 7, 16, 17, 100, 1_000, 4_097] {
            for seed in [0, 1, -5, i64::MAX] {
                let mut places: Vec<i64> =
                    (0..size).map(|value| permute(value, size, seed).unwrap()).collect();
                let moved = places.iter().zip(0..).filter(|(position, value)| **position != *value).count();
                places.sort_unstable();
                assert_eq!(places, (0..size).collect::<Vec<_>>(), "size {size} seed {seed}");
                assert!(size < 100 || moved > 90, "size {size} seed {seed}: {moved} moved");
            }
        }
        assert_ne!(permute(5, 1_000, 1), permute(5, 1_000, 2));
        assert_eq!(permute(1_005, 1_000, 1), permute(5, 1_000, 1));
        assert_eq!(permute(-995, 1_000, 1), permute(5, 1_000, 1));
        assert!((0..i64::MAX).contains(&permute(i64::MAX - 5, i64::MAX, 3).unwrap()));
        assert!(permute(0, 0, 1).is_err());
    }

    #[test]
    fn hashes_are_the_published_ones() {
        // By the reference MurmurHash64A of 8 bytes and FNV-1a, computed in arbitrary precision.
        assert_eq!(hash_murmur2(0, 0), reference_murmur(0, 0));
        assert_eq!(hash_murmur2(-7, 5432), reference_murmur(-7, 5432));
        assert_eq!(hash_fnv1a(0, 0).cast_unsigned(), 0xa8c7_f832_281a_39c5);
    }

    /// The same definition with numbers of 128 bits, cut where the reference cuts.
    fn reference_murmur(value: i64, seed: i64) -> i64 {
        let m = 0xc6a4_a793_5bd1_e995_u128;
        let cut = |number: u128| number & u128::from(u64::MAX);
        let mut k = cut(u128::from(value.cast_unsigned()) * m);
        k ^= k >> 47;
        k = cut(k * m);
        let mut h = u128::from(seed.cast_unsigned()) ^ cut(8 * m);
        h ^= k;
        h = cut(h * m);
        h ^= h >> 47;
        h = cut(h * m);
        h ^= h >> 47;
        u64::try_from(h).unwrap().cast_signed()
    }
}
