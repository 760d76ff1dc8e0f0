//! How good the hashes of rows are: rows that differ little, and in ways that would cancel in a linear hash.

use std::sync::Arc;

use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{
    ArrayRef, Float64Array, Int64Array, NullArray, PrimitiveArray, StringArray, TimestampMicrosecondArray,
};

use super::*;

fn hashes(columns: &[ArrayRef]) -> Vec<u128> {
    let mut hashes = Vec::new();
    RowHasher::default().hash(columns, columns[0].len(), &mut hashes).unwrap();
    hashes
}

/// One column for each place of a row.
fn columns<const N: usize, T: ArrowPrimitiveType>(
    rows: &[[u64; N]],
    value: impl Fn(u64) -> T::Native,
) -> Vec<ArrayRef> {
    let column = |n: usize| -> PrimitiveArray<T> { rows.iter().map(|row| Some(value(row[n]))).collect() };
    (0..N).map(|n| Arc::new(column(n)) as ArrayRef).collect()
}

/// Rows whose words are exactly these.
fn of_words<const N: usize>(rows: &[[u64; N]]) -> Vec<u128> {
    hashes(&columns::<N, arrow_array::types::TimestampMicrosecondType>(rows, u64::cast_signed))
}

fn grid(side: u64) -> Vec<[u64; 3]> {
    (0..side * side * side).map(|n| [n % side, n / side % side, n / side / side]).collect()
}

/// SplitMix64.
fn random(seed: u64) -> impl Iterator<Item = u64> {
    (1_u64..).map(move |n| {
        let mut z = seed.wrapping_add(n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    })
}

fn random_words<const N: usize>(seed: u64, rows: usize) -> Vec<[u64; N]> {
    let mut random = random(seed);
    (0..rows).map(|_| std::array::from_fn(|_| random.next().unwrap())).collect()
}

fn low(hash: u128) -> u64 {
    u64::try_from(hash & u128::from(u64::MAX)).unwrap()
}

fn high(hash: u128) -> u64 {
    low(hash >> 64)
}

/// How many of the values are there already when they are put in order.
fn repeated<T: Ord>(mut values: Vec<T>) -> usize {
    values.sort_unstable();
    values.windows(2).filter(|pair| pair[0] == pair[1]).count()
}

/// Rows of three columns that all differ, by as little as they can.
fn near_rows() -> Vec<u128> {
    let mut all = hashes(&columns::<3, arrow_array::types::Int64Type>(&grid(55), |n| n.cast_signed() - 27));
    #[expect(clippy::cast_precision_loss, reason = "they are below 55")]
    all.extend(hashes(&columns::<3, arrow_array::types::Float64Type>(&grid(55), |n| n as f64)));
    // One and two flipped bits of the same row, and three of every second bit.
    let base = random_words::<3>(1, 1)[0];
    let flip = |mut row: [u64; 3], bit: usize| {
        row[bit / 64] ^= 1 << (bit % 64);
        row
    };
    let mut flipped = vec![base];
    for i in 0..192 {
        let one = flip(base, i);
        flipped.push(one);
        for j in i + 1..192 {
            let two = flip(one, j);
            flipped.push(two);
            if i % 2 == 0 && j % 2 == 0 {
                flipped.extend((j + 2..192).step_by(2).map(|k| flip(two, k)));
            }
        }
    }
    // The halves of words and the words themselves in every other order.
    for [a, b, c] in random_words::<3>(2, 25_000) {
        let [x, y] = [a.rotate_left(32), b.rotate_left(32)];
        flipped.extend([
            [a, b, c],
            [b, a, c],
            [a, c, b],
            [c, b, a],
            [x, b, c],
            [a, y, c],
            [x, y, c],
            [y, x, c],
        ]);
    }
    all.extend(of_words(&flipped));
    let texts = ["", "\0", "\0\0", "a", "b", "ab", "a\0", "\0a", "0", "twelve bytes", "twelve bytes\0"];
    let text = |row: &[u64; 3], n: usize| texts[usize::try_from(row[n]).unwrap()];
    let rows = grid(texts.len() as u64);
    let column = |n| Arc::new(StringArray::from_iter_values(rows.iter().map(|row| text(row, n)))) as ArrayRef;
    all.extend(hashes(&[column(0), column(1), column(2)]));
    // What is empty, in each place.
    let empty: [ArrayRef; 5] = [
        Arc::new(NullArray::new(1)),
        Arc::new(Int64Array::from(vec![i64::MIN])),
        Arc::new(Float64Array::from(vec![0.5])),
        Arc::new(TimestampMicrosecondArray::from(vec![0])),
        Arc::new(arrow_array::BooleanArray::from(vec![false])),
    ];
    for row in grid(5).iter().map(|row| row.map(|n| Arc::clone(&empty[usize::try_from(n).unwrap()]))) {
        all.extend(hashes(&row));
    }
    all
}

#[test]
fn near_rows_have_unrelated_hashes() {
    let all = near_rows();
    assert!((650_000..750_000).contains(&all.len()), "{}", all.len());
    assert_eq!(repeated(all.iter().map(|hash| low(*hash)).collect()), 0, "low halves");
    assert_eq!(repeated(all.iter().map(|hash| high(*hash)).collect()), 0, "high halves");
    // 700,000 values of 32 bits: 57 repetitions on average, with a standard deviation of 8.
    for shift in (0..=96).step_by(24) {
        let found = repeated(all.iter().map(|hash| (*hash >> shift & 0xffff_ffff) as u32).collect());
        assert!((25..90).contains(&found), "{found} repetitions in bits {shift} to {}", shift + 31);
    }
}

#[test]
fn every_bit_of_a_row_changes_half_of_its_hash() {
    const ROWS: usize = 2_000;
    let rows = random_words::<3>(3, ROWS);
    let hashes = of_words(&rows);
    for bit in 0..192 {
        let mut flipped = rows.clone();
        for row in &mut flipped {
            row[bit / 64] ^= 1 << (bit % 64);
        }
        let changes: Vec<_> = of_words(&flipped).iter().zip(&hashes).map(|(a, b)| a ^ b).collect();
        for out in 0..128 {
            let count = changes.iter().filter(|change| **change >> out & 1 == 1).count();
            // The standard deviation is 22.
            assert!(count.abs_diff(ROWS / 2) < 130, "bit {bit} changes bit {out} {count} times of {ROWS}");
        }
    }
}

#[test]
fn values_that_change_places_among_rows_change_the_sum() {
    // In a sum of sums over columns both pairs of rows would come to the same.
    let rows: Vec<[u64; 4]> =
        random_words::<4>(4, 200_000).iter().map(|row| row.map(|n| n % 1_000)).collect();
    let differ = |row: &&[u64; 4]| row[0] != row[2] && row[1] != row[3];
    let rows: Vec<_> = rows.iter().filter(differ).collect();
    let of =
        |places: [usize; 2]| of_words(&rows.iter().map(|row| places.map(|n| row[n])).collect::<Vec<_>>());
    let (ab, cd, ad, cb) = (of([0, 1]), of([2, 3]), of([0, 3]), of([2, 1]));
    let difference = |n| {
        let plus = u128::wrapping_add(ab[n], cd[n]);
        plus.wrapping_sub(ad[n]).wrapping_sub(cb[n])
    };
    let differences: Vec<_> = (0..rows.len()).map(difference).collect();
    assert!(differences.iter().all(|difference| low(*difference) != 0 && high(*difference) != 0));
    // The same rectangle is rarely drawn twice, and what stays over of two has nothing in common.
    assert_eq!(repeated(differences.iter().map(|difference| low(*difference)).collect()), 0);
}
