//! Calibration kernels: fixed pieces of work whose times show whether the machine changed.
//!
//! Each takes some tens of milliseconds: long enough for a limit of CPU time, which is dealt out in periods of 100 ms, to
//! show in a few of them in a row.

use std::fs::{File, OpenOptions};
use std::hint::black_box;
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::Instant;

use crate::page_cache::failed;
use crate::{Error, sys};

/// Steps of a generator, each of which waits for the one before.
const STEPS: u64 = 12_000_000;
const MEMORY_WORDS: usize = (64 << 20) / size_of::<u64>();
const MEMORY_PASSES: usize = 2;
const DISK_BYTES: usize = 4 << 20;

/// Seconds of 12 million steps of a generator, each of which needs the one before: the frequency of one core.
#[must_use]
pub fn calibrate_integer() -> f64 {
    let started = Instant::now();
    // Not multiplications and additions: of those a compiler makes several steps into one.
    black_box((0..STEPS).fold(black_box(SEED), |state, _| step(state)));
    started.elapsed().as_secs_f64()
}

/// Seconds of reading 64 MiB twice from one end to the other: the bandwidth of memory, or of a very large cache.
#[must_use]
pub fn calibrate_memory() -> f64 {
    // Pages get their memory before the clock starts.
    let words = black_box(vec![1_u64; MEMORY_WORDS]);
    let started = Instant::now();
    for _ in 0..MEMORY_PASSES {
        black_box(black_box(&words).iter().fold(0, |sum: u64, word| sum.wrapping_add(*word)));
    }
    started.elapsed().as_secs_f64()
}

/// Seconds of writing 4 MiB, making them durable and reading them back, in a file that has no name any more.
///
/// # Errors
///
/// [`Error::File`]: the folder cannot be written.
pub fn calibrate_disk(folder: &Path) -> Result<f64, Error> {
    let path = folder.join(format!("weigh-calibration-{}", std::process::id()));
    work(&path).map_err(|reason| failed(folder, "the disk cannot be calibrated", reason))
}

fn work(path: &Path) -> io::Result<f64> {
    let mut file = OpenOptions::new().create(true).truncate(true).read(true).write(true).open(path)?;
    // A kill leaves nothing behind.
    std::fs::remove_file(path)?;
    let mut bytes = incompressible();
    let started = Instant::now();
    file.write_all(&bytes)?;
    file.sync_data()?;
    forget(&file);
    file.rewind()?;
    file.read_exact(&mut bytes)?;
    let seconds = started.elapsed().as_secs_f64();
    black_box(bytes);
    Ok(seconds)
}

/// Where that is not possible the file is read from memory each time, which is just as fixed.
fn forget(file: &File) {
    let _ = sys::forget(file);
}

/// Bytes that no file system makes smaller, the same each time.
fn incompressible() -> Vec<u8> {
    let mut state = SEED;
    let word = |_| {
        state = step(state);
        state
    };
    (0..DISK_BYTES / size_of::<u64>()).map(word).flat_map(u64::to_le_bytes).collect()
}

const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

/// Marsaglia's xorshift (Journal of Statistical Software 8, 14, 2003).
fn step(mut state: u64) -> u64 {
    state ^= state << 13;
    state ^= state >> 7;
    state ^ (state << 17)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_time() {
        // No compiler may have made several steps into one: a step is no faster than two cycles of 10 GHz.
        assert!(calibrate_integer() > 12e6 * 2e-10);
        assert!(calibrate_memory() > 0.0);
    }

    #[test]
    fn the_disk_is_left_as_it_was() {
        let folder = std::env::temp_dir().join(format!("weigh-kernels-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        assert!(calibrate_disk(&folder).unwrap() > 0.0);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        std::fs::remove_dir(&folder).unwrap();
        assert!(calibrate_disk(&folder).is_err());
    }
}
