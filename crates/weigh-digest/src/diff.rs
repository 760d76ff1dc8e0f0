//! Which rows are in one table and not in another.
//!
//! Rows are compared as multisets of row hashes, in passes: each pass counts only the hashes of its share of the
//! hash space, so that memory stays bounded, and a last pass looks up where a few of the surplus rows are.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::path::PathBuf;
use std::sync::Mutex;

use crate::Error;
use crate::parquet_file::TableFile;
use crate::scan::scan;

/// Hashes counted in one pass. The table of counts grows to twice this when nothing matches: 2^23 entries of 33 bytes,
/// and as much again by half while it grows.
const HASHES_PER_PASS: u64 = 3_600_000;

/// The difference of two tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// How many rows only the left table has, duplicates counted.
    pub only_left: u64,
    /// How many rows only the right table has, duplicates counted.
    pub only_right: u64,
    /// Where some of the former are, in the order of files and rows.
    pub left_rows: Vec<Located>,
    /// Where some of the latter are.
    pub right_rows: Vec<Located>,
}

/// The place of a row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Located {
    /// The file.
    pub path: PathBuf,
    /// The row within it, counted from 0.
    pub row: u64,
}

/// Compares the rows of two tables and locates up to `limit` of the surplus rows on each side.
///
/// Of a row that one side has more often, any of the equal rows is as good as another: the first are named. Memory
/// stays below 512 MB whatever the size of the tables; the files are read once for every 3.6 million rows.
///
/// # Errors
///
/// Any [`Error`] about a file or a column of it.
pub fn diff_parquet(
    left: &[PathBuf],
    right: &[PathBuf],
    columns: Option<&[String]>,
    limit: usize,
) -> Result<Diff, Error> {
    let left = TableFile::open_all(left, columns)?;
    let right = TableFile::open_all(right, columns)?;
    let rows = |files: &[TableFile]| files.iter().flat_map(TableFile::row_groups).sum::<u64>();
    let passes = rows(&left).max(rows(&right)).div_ceil(HASHES_PER_PASS).max(1);

    let mut surplus = Surplus::default();
    for pass in 0..passes {
        let balance = Mutex::new(Balance::default());
        for (files, sign) in [(&left, 1), (&right, -1)] {
            count(files, sign, (pass, passes), &balance)?;
        }
        let balance = balance.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        surplus.add(balance, limit);
    }
    Ok(Diff {
        only_left: surplus.only_left,
        only_right: surplus.only_right,
        left_rows: locate(&left, &surplus.left, limit)?,
        right_rows: locate(&right, &surplus.right, limit)?,
    })
}

/// By hash: how many more rows the left table has than the right.
type Balance = HashMap<u128, i64, BuildHasherDefault<Hashed>>;

/// Adds `sign` for each row of `files` whose hash is in this pass's share.
fn count(
    files: &[TableFile],
    sign: i64,
    (pass, passes): (u64, u64),
    balance: &Mutex<Balance>,
) -> Result<(), Error> {
    let visit = |mine: &mut Vec<u128>, _, hashes: &[u128]| {
        // By the high half: the table of counts uses the low one.
        mine.clear();
        mine.extend(hashes.iter().filter(|hash| (*hash >> 64) % u128::from(passes) == u128::from(pass)));
        let mut balance = balance.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        for hash in mine.iter() {
            let count = balance.entry(*hash).or_default();
            *count += sign;
            if *count == 0 {
                balance.remove(hash);
            }
        }
    };
    scan(files, 0, Vec::new, visit).map(|_| ())
}

/// Totals, and by hash how many rows of a side have to be located.
#[derive(Default)]
struct Surplus {
    only_left: u64,
    only_right: u64,
    left: BTreeMap<u128, u64>,
    right: BTreeMap<u128, u64>,
}

impl Surplus {
    fn add(&mut self, balance: Balance, limit: usize) {
        for (hash, count) in balance {
            let (total, wanted) = if count > 0 {
                (&mut self.only_left, &mut self.left)
            } else {
                (&mut self.only_right, &mut self.right)
            };
            *total += count.unsigned_abs();
            wanted.insert(hash, count.unsigned_abs());
            // The smallest hashes, and not the first to come: the table of counts has no order to rely on.
            if wanted.len() > limit {
                wanted.pop_last();
            }
        }
    }
}

/// Finds the rows of the `wanted` hashes, each as often as asked for, the first `limit` of them.
fn locate(files: &[TableFile], wanted: &BTreeMap<u128, u64>, limit: usize) -> Result<Vec<Located>, Error> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    // One thread: "the first" is then a matter of course.
    let found = scan(
        files,
        1,
        || (wanted.clone(), Vec::new()),
        |(wanted, found), place, hashes| {
            for (row, hash) in (place.row..).zip(hashes) {
                if let Some(left @ 1..) = wanted.get_mut(hash)
                    && found.len() < limit
                {
                    *left -= 1;
                    found.push(Located { path: files[place.file].path.clone(), row });
                }
            }
        },
    )?;
    Ok(found.into_iter().flat_map(|(_, found)| found).collect())
}

/// Takes a row hash for the hash that it is.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "the low half is as good a hash as the whole")]
    fn write_u128(&mut self, hash: u128) {
        self.0 = hash as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
