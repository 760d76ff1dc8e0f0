//! SQL in a file, as `pg_dump` writes it, as the data of a bulk load: statements, and the rows of each COPY.

use std::fs;
use std::path::Path;

use crate::Error;
use crate::workload::message::{Bulk, Chunk};

use super::unreadable;

/// Bytes of the rows that are sent at once.
const CHUNK: usize = 1 << 20;

/// Reads a file. What stands before the first COPY runs before the rows, and everything else behind them. Lines of psql's
/// own commands are left out.
///
/// # Errors
///
/// [`Error::Setting`]: it cannot be read, or a COPY has no end.
pub(super) fn bulk(path: &Path) -> Result<Bulk, Error> {
    let text = fs::read_to_string(path).map_err(|error| unreadable(path, error))?;
    parse(&text).map_err(|why| unreadable(path, why))
}

fn parse(text: &str) -> Result<Bulk, &'static str> {
    let (mut before, mut after) = (String::new(), String::new());
    let mut copies = Vec::new();
    let mut all = 0;
    let mut lines = text.split_inclusive('\n');
    while let Some(line) = lines.next() {
        if line.starts_with("COPY ") && line.trim_end().to_ascii_lowercase().ends_with(" from stdin;") {
            let mut chunks = vec![Chunk { bytes: Vec::new(), rows: 0, replies: 0 }];
            loop {
                let row = lines.next().ok_or("a COPY has no end: it is a line with \\. alone")?;
                if row.trim_end() == "\\." {
                    break;
                }
                if chunks.last().is_none_or(|last| last.bytes.len() >= CHUNK) {
                    chunks.push(Chunk { bytes: Vec::new(), rows: 0, replies: 0 });
                }
                if let Some(last) = chunks.last_mut() {
                    last.bytes.extend_from_slice(row.as_bytes());
                    last.rows += 1;
                }
                all += 1;
            }
            copies.push((line.trim_end().trim_end_matches(';').to_owned(), chunks));
        } else if !line.starts_with('\\') {
            if copies.is_empty() { &mut before } else { &mut after }.push_str(line);
        }
    }
    let some = |text: String| if text.trim().is_empty() { Vec::new() } else { vec![text] };
    let copies = copies.into_iter().map(|(statement, chunks)| {
        let chunks: Box<dyn Iterator<Item = Chunk> + Send> = Box::new(chunks.into_iter());
        (statement, chunks)
    });
    Ok(Bulk::Sql { before: some(before), copies: copies.collect(), after: some(after), rows: all })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_and_rows_are_told_apart() {
        let text = "\\restrict x\nCREATE TABLE t (a int);\nCOPY public.t (a) FROM stdin;\n1\n2\n\\.\n\nALTER TABLE t ADD \
                    PRIMARY KEY (a);\n";
        let Bulk::Sql { before, mut copies, after, rows } = parse(text).unwrap() else { panic!() };
        assert_eq!((before, rows), (vec!["CREATE TABLE t (a int);\n".to_owned()], 2));
        assert!(after[0].contains("PRIMARY KEY"));
        let (statement, chunks) = copies.pop().unwrap();
        assert_eq!(statement, "COPY public.t (a) FROM stdin");
        assert_eq!(chunks.flat_map(|chunk| chunk.bytes).collect::<Vec<u8>>(), b"1\n2\n");
        assert!(parse("COPY t FROM stdin;\n1\n").is_err());
    }
}
