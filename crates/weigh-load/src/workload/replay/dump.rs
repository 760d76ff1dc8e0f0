//! SQL in a file, as `pg_dump` writes it, as the data of a bulk load: statements, and the rows of each COPY.

use std::fs;
use std::path::Path;

use crate::Error;
use crate::workload::message::{Bulk, Chunk, Chunks};

use super::unreadable;

/// Bytes of the rows that are sent at once.
const CHUNK: usize = 1 << 20;

/// What makes the data: what stands before the first COPY runs before the rows, and everything else behind them.
#[derive(Debug)]
pub(super) struct Dump {
    before: String,
    copies: Vec<(String, Vec<Chunk>)>,
    after: String,
    rows: u64,
}

impl Dump {
    /// Reads a file. Lines of psql's own commands are left out.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`]: it cannot be read, or a COPY has no end.
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        let text = fs::read_to_string(path).map_err(|error| unreadable(path, error))?;
        Self::parse(&text).map_err(|why| unreadable(path, why))
    }

    fn parse(text: &str) -> Result<Self, &'static str> {
        let mut dump = Self { before: String::new(), copies: Vec::new(), after: String::new(), rows: 0 };
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
                    dump.rows += 1;
                }
                dump.copies.push((line.trim_end().trim_end_matches(';').to_owned(), chunks));
            } else if !line.starts_with('\\') {
                let part = if dump.copies.is_empty() { &mut dump.before } else { &mut dump.after };
                part.push_str(line);
            }
        }
        Ok(dump)
    }

    /// As the data of a bulk load.
    pub(super) fn bulk(&self) -> Bulk {
        let some = |text: &str| if text.trim().is_empty() { Vec::new() } else { vec![text.to_owned()] };
        let copies = self.copies.iter().map(|(statement, chunks)| {
            let chunks: Chunks = Box::new(chunks.clone().into_iter());
            (statement.clone(), chunks)
        });
        Bulk::Sql {
            before: some(&self.before),
            copies: copies.collect(),
            after: some(&self.after),
            rows: self.rows,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_and_rows_are_told_apart() {
        let text = "\\restrict x\nCREATE TABLE t (a int);\nCOPY public.t (a) FROM stdin;\n1\n2\n\\.\n\nALTER TABLE t ADD \
                    PRIMARY KEY (a);\n";
        let Bulk::Sql { before, mut copies, after, rows } = Dump::parse(text).unwrap().bulk() else {
            panic!()
        };
        assert_eq!((before, rows), (vec!["CREATE TABLE t (a int);\n".to_owned()], 2));
        assert!(after[0].contains("PRIMARY KEY"));
        let (statement, chunks) = copies.pop().unwrap();
        assert_eq!(statement, "COPY public.t (a) FROM stdin");
        assert_eq!(chunks.flat_map(|chunk| chunk.bytes).collect::<Vec<u8>>(), b"1\n2\n");
        assert!(Dump::parse("COPY t FROM stdin;\n1\n").is_err());
    }
}
