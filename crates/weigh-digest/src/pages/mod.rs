//! The pages of a Parquet file, found by their headers, and checked against their checksums.
//!
//! Nothing is decompressed or decoded: a page is read once, in pieces of a constant size, and hashed. Memory stays the
//! same whatever lengths a header claims.

use std::cmp::Reverse;
use std::io;
use std::num::NonZero;
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::reader::{ChunkReader, Length};

use crate::Error;
use crate::parquet_file::{Positioned, footer};
use crate::thrift::Compact;
use window::Window;

mod window;

/// Bytes read at once where pages are checked: few enough to stay in the cache between reading and hashing.
const CONTENTS: usize = 256 << 10;
/// The same where they are passed over: most headers are shorter.
const HEADERS: usize = 512;
/// Bad pages that are described; the others are counted.
const DESCRIBED: usize = 1000;

/// What a page holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKind {
    /// Values, in either version of the format.
    Data,
    /// The values that data pages refer to.
    Dictionary,
    /// Anything else.
    Other,
}

/// One page of a column chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// What it holds.
    pub kind: PageKind,
    /// Where its header begins in the file.
    pub header: u64,
    /// Where its contents begin, right after the header.
    pub contents: u64,
    /// Bytes of its contents in the file.
    pub compressed: u64,
    /// Bytes of its contents before compression.
    pub uncompressed: u64,
    /// Values, NULLs included.
    pub values: u64,
    /// Of the header of a page of data, 1 or 2; 1 of others.
    pub version: u8,
    /// Of its values.
    pub encoding: &'static str,
    /// Bytes at its beginning that are never compressed.
    pub levels: u64,
    /// Whether the rest is compressed, where the column has a codec.
    pub packed: bool,
    /// CRC-32 of its contents.
    pub checksum: Option<u32>,
}

/// What is wrong with a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Damage {
    /// Its contents do not have the checksum that its header says.
    Checksum {
        /// In the header.
        stored: u32,
        /// Of the contents.
        found: u32,
    },
    /// There is no page header, or one that cannot be true; what follows it in the column chunk was not looked at.
    Header(&'static str),
}

/// A page that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadPage {
    /// Row group, counted from 0.
    pub row_group: usize,
    /// Path of the column, dotted where it is nested.
    pub column: String,
    /// Page of that column in the row group, counted from 0; a dictionary is the first.
    pub page: u64,
    /// Where its header begins in the file.
    pub header: u64,
    /// What is wrong.
    pub damage: Damage,
}

/// The page that takes the most memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LargestPage {
    /// Number of its column chunk, in the order of the file.
    pub chunk: usize,
    /// Path of its column.
    pub column: String,
    /// Bytes of its contents in the file.
    pub compressed: u64,
    /// Bytes of its contents before compression.
    pub uncompressed: u64,
}

/// What checking the pages of a file has shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageChecks {
    /// Pages of all columns.
    pub pages: u64,
    /// Those with a checksum; all of them were compared with it.
    pub with_checksum: u64,
    /// Bytes of the pages, headers not included.
    pub bytes: u64,
    /// The same before compression, as the headers say.
    pub unpacked: u64,
    /// The page that has most of these, and of several the first in the file.
    pub largest: Option<LargestPage>,
    /// How many are bad.
    pub bad_pages: u64,
    /// The first bad ones, in the order of the file.
    pub bad: Vec<BadPage>,
}

impl PageChecks {
    /// Keeps the larger page; of pages as large the first, whichever thread comes first.
    fn at_least(&mut self, chunk: usize, column: &str, compressed: u64, uncompressed: u64) {
        let rank = (uncompressed, Reverse(chunk));
        if self.largest.as_ref().is_none_or(|largest| (largest.uncompressed, Reverse(largest.chunk)) < rank) {
            self.largest = Some(LargestPage { chunk, column: column.to_owned(), compressed, uncompressed });
        }
    }
}

/// Compares every page of the file at `path` with its checksum, if it has one.
///
/// `threads` check column chunks in parallel (0: one for each processor).
///
/// # Errors
///
/// [`Error::Io`]; [`Error::NotParquet`], which column chunks that overlap are too; [`Error::NotRead`] if it is
/// encrypted.
pub fn check_pages(path: &Path, threads: usize) -> Result<PageChecks, Error> {
    let file = Pages::open(path)?;
    let available = || thread::available_parallelism().map_or(1, NonZero::get);
    let threads = if threads == 0 { available() } else { threads }.clamp(1, file.chunks.len().max(1));
    let next = AtomicUsize::new(0);
    let whole = Mutex::new((PageChecks::default(), Vec::new()));
    let work = || {
        let mut own = PageChecks::default();
        let mut bad = Vec::new();
        let mut buffer = Vec::new();
        while let Some(chunk) = file.chunks.get(next.fetch_add(1, Ordering::Relaxed)) {
            file.check(chunk, &mut buffer, &mut own, &mut bad).inspect_err(|_| {
                // The other threads stop at their next column chunk.
                next.store(file.chunks.len(), Ordering::Relaxed);
            })?;
        }
        let mut whole = whole.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        whole.0.pages += own.pages;
        whole.0.with_checksum += own.with_checksum;
        whole.0.bytes += own.bytes;
        whole.0.unpacked = whole.0.unpacked.saturating_add(own.unpacked);
        if let Some(page) = own.largest {
            whole.0.at_least(page.chunk, &page.column, page.compressed, page.uncompressed);
        }
        whole.0.bad_pages += own.bad_pages;
        whole.1.append(&mut bad);
        Ok(())
    };
    let done: io::Result<()> = if threads == 1 {
        work()
    } else {
        thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let join = |worker: thread::ScopedJoinHandle<'_, _>| {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            // All are waited for: the first error would leave the others to the scope, which panics with them.
            let ended: Vec<io::Result<()>> = workers.into_iter().map(join).collect();
            ended.into_iter().collect()
        })
    };
    done.map_err(|source| Error::Io { path: path.to_owned(), source })?;
    let (mut checks, mut bad) = whole.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    bad.sort_by_key(|(chunk, page): &(usize, BadPage)| (*chunk, page.page));
    checks.bad = bad.into_iter().map(|(_, page)| page).take(DESCRIBED).collect();
    Ok(checks)
}

/// The first `most` pages of one column (its dotted path) in one row group.
///
/// # Errors
///
/// [`Error::Io`] and [`Error::NotParquet`]; [`Error::NoSuchColumn`] if the row group has no such column;
/// [`Error::Corrupt`] if a header is none.
pub fn column_pages(path: &Path, row_group: usize, column: &str, most: usize) -> Result<Vec<Page>, Error> {
    let file = Pages::open(path)?;
    let chunk = file.chunks.iter().find(|one| one.row_group == row_group && one.column == column);
    let chunk = chunk.ok_or_else(|| Error::NoSuchColumn {
        path: path.to_owned(),
        column: column.to_owned(),
        present: file
            .chunks
            .iter()
            .filter(|one| one.row_group == row_group)
            .map(|one| one.column.clone())
            .collect(),
    })?;
    let found = listed(&file.source, chunk.start..chunk.end, most)
        .map_err(|source| Error::Io { path: path.to_owned(), source })?;
    found.map_err(|reason| Error::Corrupt {
        path: path.to_owned(),
        row_group,
        column: Some(column.to_owned()),
        reason,
    })
}

/// The pages between two places of the file at `path`, for instance those of a [`Chunk`](crate::Chunk) of its footer.
///
/// # Errors
///
/// [`Error::Io`], also where the file ends before; [`Error::NotParquet`] if something else lies there.
pub fn pages_between(path: &Path, place: Range<u64>) -> Result<Vec<Page>, Error> {
    let io = |source| Error::Io { path: path.to_owned(), source };
    let source = Positioned::open(path).map_err(io)?;
    let found = listed(&source, place, usize::MAX).map_err(io)?;
    found.map_err(|reason| Error::NotParquet { path: path.to_owned(), reason })
}

/// The first `most` pages between two places; in the inner result why there is none where one must be.
fn listed(source: &Positioned, place: Range<u64>, most: usize) -> io::Result<Result<Vec<Page>, String>> {
    let mut buffer = Vec::new();
    let end = place.end;
    let mut window = Window::new(source, place, HEADERS, &mut buffer);
    let mut found = Vec::new();
    while window.position < end && found.len() < most {
        let begin = window.position;
        let page = match window.page()? {
            Ok(page) if page.levels <= page.compressed => page,
            Ok(_) => return Ok(Err(format!("the levels of the page at byte {begin} are longer than it"))),
            Err(reason) => return Ok(Err(format!("no page at byte {begin}: {reason}"))),
        };
        window.pass(page.compressed);
        found.push(page);
    }
    Ok(Ok(found))
}

/// Where the pages of one column in one row group lie.
pub(crate) struct Place {
    number: usize,
    row_group: usize,
    column: String,
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// Values that its pages must hold.
    values: u64,
}

/// A file whose column chunks are known to lie apart and within it.
pub(crate) struct Pages {
    source: Positioned,
    pub(crate) metadata: ParquetMetaData,
    /// Row group after row group.
    pub(crate) chunks: Vec<Place>,
}

impl Pages {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let (source, metadata) = footer(path)?;
        let refused = |reason: String| Error::NotParquet { path: path.to_owned(), reason };
        if encrypted(&source).map_err(|error| refused(error.to_string()))? {
            return Err(Error::NotRead {
                path: path.to_owned(),
                column: None,
                reason: "its columns are encrypted, and so are the headers of their pages".to_owned(),
            });
        }
        let chunks = chunks(&metadata, source.len()).map_err(refused)?;
        Ok(Self { source, metadata, chunks })
    }

    /// Checks the pages of one column chunk.
    fn check(
        &self,
        chunk: &Place,
        buffer: &mut Vec<u8>,
        checks: &mut PageChecks,
        bad: &mut Vec<(usize, BadPage)>,
    ) -> io::Result<()> {
        let mut window = Window::new(&self.source, chunk.start..chunk.end, CONTENTS, buffer);
        let (mut number, mut values) = (0, 0_u64);
        let mut complain = |checks: &mut PageChecks, page: u64, header: u64, damage: Damage| {
            checks.bad_pages += 1;
            if bad.len() < DESCRIBED {
                let (row_group, column) = (chunk.row_group, chunk.column.clone());
                bad.push((chunk.number, BadPage { row_group, column, page, header, damage }));
            }
        };
        while window.position < chunk.end {
            let begin = window.position;
            let page = match window.page()? {
                Ok(page) => page,
                // Some writers leave a gap between columns; what is missed by stopping here is not a page.
                Err(_) if values >= chunk.values && number > 0 => break,
                Err(reason) => {
                    complain(checks, number, begin, Damage::Header(reason));
                    break;
                }
            };
            checks.pages += 1;
            checks.bytes += page.compressed;
            checks.unpacked = checks.unpacked.saturating_add(page.uncompressed);
            checks.at_least(chunk.number, &chunk.column, page.compressed, page.uncompressed);
            if page.kind == PageKind::Data {
                values = values.saturating_add(page.values);
            }
            if let Some(stored) = page.checksum {
                checks.with_checksum += 1;
                let found = window.checksum(page.compressed)?;
                if found != stored {
                    complain(checks, number, begin, Damage::Checksum { stored, found });
                }
            } else {
                window.pass(page.compressed);
            }
            number += 1;
        }
        Ok(())
    }
}

/// The column chunks; why they cannot be, where they are larger than the file together: each byte belongs to one.
fn chunks(metadata: &ParquetMetaData, length: u64) -> Result<Vec<Place>, String> {
    let mut found = Vec::new();
    let mut together = 0_u64;
    for (row_group, group) in metadata.row_groups().iter().enumerate() {
        for column in group.columns() {
            let name = column.column_path().string();
            if column.file_path().is_some() {
                return Err(format!("column {name} lies in another file"));
            }
            let (start, end) = place(column)
                .filter(|(_, end)| *end <= length)
                .ok_or_else(|| format!("column {name} of row group {row_group} lies beyond its end"))?;
            together = together.saturating_add(end - start);
            found.push(Place {
                number: found.len(),
                row_group,
                column: name,
                start,
                end,
                values: u64::try_from(column.num_values()).unwrap_or(0),
            });
        }
    }
    if together > length {
        return Err("its columns overlap: together they are larger than the file".to_owned());
    }
    Ok(found)
}

/// Where a column chunk begins and ends; a dictionary comes first.
fn place(column: &ColumnChunkMetaData) -> Option<(u64, u64)> {
    // Some writers say 0 for none: of the dictionary, and of the data where a row group has no rows.
    let offsets = [column.dictionary_page_offset(), Some(column.data_page_offset())];
    let start = match offsets.into_iter().flatten().filter(|at| *at > 0).min() {
        Some(start) => u64::try_from(start).ok()?,
        None if column.num_values() == 0 => return Some((0, 0)),
        None => return None,
    };
    Some((start, start.checked_add(u64::try_from(column.compressed_size()).ok()?)?))
}

/// Whether the footer, which can be read, says that columns cannot: it has an encryption algorithm, its field 8.
fn encrypted(source: &Positioned) -> Result<bool, ParquetError> {
    const TAIL: u64 = 8;
    let Some(end) = source.len().checked_sub(TAIL) else { return Ok(false) };
    let tail = source.get_bytes(end, 4)?;
    let length = u64::from(u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]));
    let Some(start) = end.checked_sub(length) else { return Ok(false) };
    let bytes = source.get_bytes(start, usize::try_from(length)?)?;
    let mut found = false;
    // It was read before by the parquet crate; what follows a mistake in it changes nothing here.
    let _ = Compact::new(&bytes).fields(|inner, number, kind| {
        found |= number == 8;
        inner.skip(kind)
    });
    Ok(found)
}
