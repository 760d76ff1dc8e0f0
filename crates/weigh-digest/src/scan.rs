//! Hashes of the rows of Parquet files, row groups in parallel.

use std::hint::black_box;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use arrow_schema::ArrowError;

use crate::catch_panic::catch_panic;
use crate::parquet_file::{Positioned, TableFile};
use crate::rows::RowHasher;
use crate::{Digest, Error};

/// The digest of the rows of all `paths` together.
///
/// `columns` are names of top-level columns, in the order that they take in the digest; without them, the columns of
/// the first file in its order. `threads` read row groups in parallel (0: one for each processor). Memory is bounded by
/// the pages being decoded, whatever the size of the files.
///
/// # Errors
///
/// Any [`Error`] about a file or a column of it.
pub fn digest_parquet(
    paths: &[PathBuf],
    columns: Option<&[String]>,
    threads: usize,
) -> Result<Digest, Error> {
    let files = TableFile::open_all(paths, columns)?;
    let parts =
        scan(&files, threads, Digest::default, |digest, _, hashes| *digest += Digest::of_rows(hashes))?;
    Ok(parts.into_iter().sum())
}

/// Where the rows of a batch are.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// Number of the file.
    pub(crate) file: usize,
    /// Number, within the file, of the first row.
    pub(crate) row: u64,
}

struct Task {
    file: usize,
    row_group: usize,
    first_row: u64,
}

/// Hashes every row of `files` once, in batches. Each thread has a state of its own; they are returned at the end.
pub(crate) fn scan<S: Send>(
    files: &[TableFile],
    threads: usize,
    state: impl Fn() -> S + Sync,
    visit: impl Fn(&mut S, Place, &[u128]) + Sync,
) -> Result<Vec<S>, Error> {
    keep_freed_memory();
    let tasks = tasks(files);
    let available = || thread::available_parallelism().map_or(1, NonZero::get);
    let threads = if threads == 0 { available() } else { threads }.clamp(1, tasks.len().max(1));
    let next = AtomicUsize::new(0);
    let work = || {
        let mut state = state();
        let mut hasher = RowHasher::default();
        while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            read(files, task, &mut hasher, |place, hashes| visit(&mut state, place, hashes)).inspect_err(
                |_| {
                    // The other threads stop at their next task.
                    next.store(tasks.len(), Ordering::Relaxed);
                },
            )?;
        }
        Ok(state)
    };
    if threads == 1 {
        return work().map(|state| vec![state]);
    }
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let join = |worker: thread::ScopedJoinHandle<'_, _>| {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        workers.into_iter().map(join).collect()
    })
}

/// Lets glibc keep the memory of decoded pages for the pages that come next.
///
/// By default it gives a page back to the kernel as soon as it is freed, and every page of memory is faulted in and
/// zeroed anew: a seventh of the processor time of a digest. Freeing one block of almost 32 MiB, the most that counts
/// (`DEFAULT_MMAP_THRESHOLD_MAX`, mallopt(3)), raises its limits for the rest of the process. The block is not touched
/// and takes no memory; with another allocator nothing happens.
fn keep_freed_memory() {
    const SIZE: usize = (32 << 20) - (64 << 10);
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let mut block = Vec::<u8>::new();
        // Without the memory for it there is nothing to keep.
        let _ = block.try_reserve_exact(SIZE);
        // The compiler would leave out an allocation that nobody looks at.
        drop(black_box(block));
    });
}

fn tasks(files: &[TableFile]) -> Vec<Task> {
    let of_file = |(file, table): (usize, &TableFile)| {
        let mut first_row = 0;
        let row_groups = table.row_groups().enumerate().map(|(row_group, rows)| {
            let task = Task { file, row_group, first_row };
            first_row += rows;
            task
        });
        row_groups.collect::<Vec<_>>()
    };
    files.iter().enumerate().flat_map(of_file).collect()
}

/// Decodes and hashes one row group.
fn read(
    files: &[TableFile],
    task: &Task,
    hasher: &mut RowHasher,
    mut visit: impl FnMut(Place, &[u128]),
) -> Result<(), Error> {
    let file = &files[task.file];
    let path = &file.path;
    let source = Positioned::open(path).map_err(|source| Error::Io { path: path.clone(), source })?;
    let mut unsupported = None;
    let places = file.places();
    let expected = file.row_groups().nth(task.row_group).unwrap_or(0);
    catch_panic(|| {
        let reader = file.read(&source, task.row_group).map_err(ArrowError::from)?;
        let mut row = task.first_row;
        let mut hashes = Vec::new();
        for batch in reader {
            let (decoded, rows) = batch?;
            let columns: Vec<_> = places.iter().map(|place| decoded[*place].clone()).collect();
            hashes.clear();
            if let Err((column, (data_type, reason))) = hasher.hash(&columns, rows, &mut hashes) {
                unsupported =
                    Some(Error::Unsupported { path: Some(path.clone()), column, data_type, reason });
                return Ok(());
            }
            visit(Place { file: task.file, row }, &hashes);
            row += rows as u64;
        }
        let found = row - task.first_row;
        if found == expected {
            return Ok(());
        }
        // A short column ends the decoding without an error.
        Err(ArrowError::ParquetError(format!("{found} rows where the footer says {expected}")))
    })
    .map_err(|reason| fault(file, &source, task.row_group, reason))?;
    unsupported.map_or(Ok(()), Err)
}

/// What is wrong with a row group that cannot be decoded: which column, and whether it may be sound.
fn fault(file: &TableFile, source: &Positioned, row_group: usize, reason: String) -> Error {
    let path = file.path.clone();
    let (column, reason) =
        file.faulty(source, row_group).map_or((None, reason), |(column, reason)| (Some(column), reason));
    // So the parquet crate, and this one, say that the format has more than they know.
    match reason.split_once("NYI: ") {
        Some((_, reason)) => Error::NotRead { path, column, reason: reason.to_owned() },
        None => Error::Corrupt { path, row_group, column, reason },
    }
}
