//! An answer as it is kept: its values as text, or a digest of them where they are many.

use serde::Serialize;
use xxhash_rust::xxh3::xxh3_128;

use crate::workload::message::{Reply, Rows};

/// A column of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Column {
    name: String,
    /// The number of its type in PostgreSQL's `pg_type`; 0 where the server does not say.
    oid: u32,
}

/// What a server answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Answer {
    /// Rows of SQL.
    Rows {
        /// Their columns.
        columns: Vec<Column>,
        /// Their values as text; none where there is a digest.
        rows: Vec<Vec<Option<String>>>,
        /// How many there are.
        count: usize,
        /// Of the rows in any order, where they are too long to be kept; nothing as well where they are so long that
        /// not all were read.
        digest: Option<String>,
    },
    /// Rows that a statement changed.
    Count {
        /// How many.
        count: u64,
    },
    /// An error.
    Error {
        /// Its code.
        code: String,
        /// What it says.
        text: String,
    },
}

/// A reply, with the types of its columns, and its values if they have no more bytes than `most`.
pub(crate) fn answer(reply: &Reply<'_>, types: &[u32], most: usize) -> Answer {
    match reply {
        Reply::Rows(rows) => of_rows(rows, types, most),
        Reply::Count(count) => Answer::Count { count: *count },
        Reply::Error { code, text } => Answer::Error { code: (*code).to_owned(), text: (*text).to_owned() },
        // No SQL is answered so.
        Reply::Nil | Reply::Bytes(_) => Answer::Count { count: 0 },
    }
}

fn of_rows(rows: &Rows<'_>, types: &[u32], most: usize) -> Answer {
    let names = rows.names();
    let columns = names
        .iter()
        .enumerate()
        .map(|(place, name)| Column { name: name.clone(), oid: types.get(place).copied().unwrap_or(0) });
    let kept = 0..rows.kept();
    let bytes: usize = kept
        .clone()
        .flat_map(|row| (0..rows.width(row)).map(move |column| rows.get(row, column).map_or(1, <[u8]>::len)))
        .sum();
    let whole = rows.kept() == rows.count();
    let short = whole && bytes <= most;
    let text = |row: usize| {
        let cells = (0..rows.width(row)).map(|column| rows.get(row, column));
        cells.map(|cell| cell.map(|cell| String::from_utf8_lossy(cell).into_owned())).collect()
    };
    Answer::Rows {
        columns: columns.collect(),
        rows: if short { kept.map(text).collect() } else { Vec::new() },
        count: rows.count(),
        digest: (whole && !short).then(|| format!("{:032x}", digest(rows))),
    }
}

/// The sum of the hashes of the rows: the same in any order.
fn digest(rows: &Rows<'_>) -> u128 {
    let mut encoded = Vec::new();
    (0..rows.kept()).fold(0, |sum: u128, row| {
        encoded.clear();
        for column in 0..rows.width(row) {
            // The length before the value: two cells are never taken for one.
            match rows.get(row, column) {
                None => encoded.extend_from_slice(&u64::MAX.to_le_bytes()),
                Some(cell) => {
                    encoded.extend_from_slice(&(cell.len() as u64).to_le_bytes());
                    encoded.extend_from_slice(cell);
                }
            }
        }
        sum.wrapping_add(xxh3_128(&encoded))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two(first: &str, second: &str, most: usize) -> Answer {
        let bytes = format!("{first}{second}");
        let middle = u32::try_from(first.len()).unwrap();
        let cells = [Some(0..middle), None, Some(middle..u32::try_from(bytes.len()).unwrap()), None];
        let names = ["a".to_owned(), "b".to_owned()];
        answer(&Reply::Rows(Rows::new(&names, bytes.as_bytes(), &cells, &[2, 4])), &[23, 25], most)
    }

    #[test]
    fn short_answers_are_kept_and_long_ones_digested_in_any_order() {
        let Answer::Rows { columns, rows, count, digest } = two("1", "22", 100) else { panic!() };
        assert_eq!(columns[1], Column { name: "b".into(), oid: 25 });
        assert_eq!(
            (rows, count, digest),
            (vec![vec![Some("1".into()), None], vec![Some("22".into()), None]], 2, None)
        );
        let digest = |first, second| match two(first, second, 2) {
            Answer::Rows { rows, digest, .. } if rows.is_empty() => digest.unwrap(),
            other => panic!("{other:?}"),
        };
        assert_eq!(digest("1", "22"), digest("22", "1"));
        assert_ne!(digest("1", "22"), digest("12", "2"));
    }
}
