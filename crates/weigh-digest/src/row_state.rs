//! The hash of a row while its values are folded into it.
//!
//! Specified, with the reasons, in the [crate documentation](crate).

use crate::encoding::{Slot, tag};

/// Words of the fraction of pi, 64 bits each; multipliers are odd.
const START: [u64; 2] = [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344];
const TAG: u64 = 0x4528_21e6_38d0_1377;
const STEP: [u64; 2] = [0xa409_3822_299f_31d1, 0xbe54_66cf_34e9_0c6d];
const FINISH: [u64; 4] =
    [0xc0ac_29b7_c97c_50dd, 0x9216_d5d9_8979_fb1b, 0xd131_0ba6_98df_b5ad, 0xb8e1_afed_6a26_7e97];

/// What a value brings to the hash of its row: its words, the tag in the first of them.
#[derive(Clone, Copy)]
pub(crate) struct Words(u64, Option<u64>);

impl Slot {
    #[inline]
    pub(crate) fn words(self) -> Words {
        Words(self.word ^ u64::from(self.tag).wrapping_mul(TAG), self.second)
    }
}

/// Two lanes of 64 bits: each takes in every word, and neither follows from the other.
#[derive(Clone, Copy)]
pub(crate) struct RowState(u64, u64);

impl RowState {
    /// The state of a row of so many columns before the first of them.
    pub(crate) fn new(columns: usize) -> Self {
        let mut state = Self(START[0], START[1]);
        state.add(Slot::one(tag::ROW, columns as u64).words());
        state
    }

    #[inline]
    pub(crate) fn add(&mut self, Words(first, second): Words) {
        self.step(first);
        if let Some(second) = second {
            self.step(second);
        }
    }

    #[inline]
    fn step(&mut self, word: u64) {
        self.0 = fold(self.0 ^ word, STEP[0]);
        self.1 = fold(self.1 ^ word.rotate_left(32), STEP[1]);
    }

    /// Mixes the lanes in four rounds of a Feistel network, which loses nothing.
    #[inline]
    pub(crate) fn hash(self) -> u128 {
        let Self(mut low, mut high) = self;
        high ^= fold(low, FINISH[0]);
        low ^= fold(high, FINISH[1]);
        high ^= fold(low, FINISH[2]);
        low ^= fold(high, FINISH[3]);
        u128::from(high) << 64 | u128::from(low)
    }
}

/// The two halves of the product, one on the other.
#[inline]
fn fold(value: u64, multiplier: u64) -> u64 {
    let (low, high) = value.carrying_mul(multiplier, 0);
    low ^ high
}
