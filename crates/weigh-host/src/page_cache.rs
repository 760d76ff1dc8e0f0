//! Residency: which pages of a file are in memory, and asking for them to be forgotten.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::{Error, sys};

/// The system call that found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// `cachestat(2)`, of Linux 6.5 and newer.
    Cachestat,
    /// `mincore(2)` of a mapping.
    Mincore,
}

impl How {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cachestat => "cachestat",
            Self::Mincore => "mincore",
        }
    }
}

/// How much of a file is in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Residency {
    /// Pages in the page cache.
    pub resident: u64,
    /// Pages of the whole file.
    pub pages: u64,
    /// Who says so.
    pub how: How,
}

/// How much of a file is in memory.
///
/// # Errors
///
/// [`Error::File`]: it cannot be opened. [`Error::Residency`]: the kernel does not show it, or not the truth: to a user
/// who may not write a file `mincore` says that all of it is resident.
pub fn resident(path: &Path) -> Result<Residency, Error> {
    let (file, bytes) = opened(path)?;
    let pages = bytes.div_ceil(sys::page_size());
    // The inode of an overlay has no pages of its own: they are those of a file below, which only a mapping shows.
    if !sys::overlaid(&file)
        && let Ok(resident) = sys::cachestat(&file)
    {
        return Ok(Residency { resident, pages, how: How::Cachestat });
    }
    by_mincore(path, &file, bytes).map(|resident| Residency { resident, pages, how: How::Mincore })
}

fn by_mincore(path: &Path, file: &File, bytes: u64) -> Result<u64, Error> {
    if !sys::writable(file).unwrap_or(false) {
        return Err(Error::Residency { path: path.to_owned() });
    }
    sys::mincore(file, bytes).map_err(|_| Error::Residency { path: path.to_owned() })
}

/// Makes a file durable and asks the kernel to forget its pages. Those that a process has mapped stay: see [`resident`].
///
/// # Errors
///
/// [`Error::File`]: it cannot be opened, written back or forgotten.
pub fn evict(path: &Path) -> Result<(), Error> {
    let (file, _) = opened(path)?;
    // A dirty page cannot be forgotten.
    file.sync_all().map_err(|reason| failed(path, "it cannot be made durable", reason))?;
    sys::forget(&file).map_err(|reason| failed(path, "its pages cannot be forgotten", reason))
}

fn opened(path: &Path) -> Result<(File, u64), Error> {
    let file = File::open(path).map_err(|reason| failed(path, "it cannot be opened", reason))?;
    let facts = file.metadata().map_err(|reason| failed(path, "it cannot be asked about", reason))?;
    if !facts.is_file() {
        return Err(failed(path, "it cannot be opened", io::Error::other("it is no file")));
    }
    Ok((file, facts.len()))
}

pub(crate) fn failed(path: &Path, what: &'static str, reason: io::Error) -> Error {
    Error::File { path: path.to_owned(), what, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_forgotten_and_read_again() {
        // Not in the folder of temporary files, which may be in memory and has nothing to forget then.
        let folder = std::env::current_exe().unwrap();
        let path = folder.with_file_name(format!("weigh-residency-{}", std::process::id()));
        let page = usize::try_from(sys::page_size()).unwrap();
        std::fs::write(&path, vec![7; 8 * page + 1]).unwrap();
        let written = resident(&path).unwrap();
        assert_eq!((written.resident, written.pages), (9, 9));
        let file = File::open(&path).unwrap();
        assert_eq!(by_mincore(&path, &file, 8 * page as u64 + 1).unwrap(), 9);
        evict(&path).unwrap();
        assert_eq!(resident(&path).unwrap().resident, 0);
        assert_eq!(by_mincore(&path, &file, 8 * page as u64 + 1).unwrap(), 0);
        assert_eq!(std::fs::read(&path).unwrap().len(), 8 * page + 1);
        assert_eq!(resident(&path).unwrap().resident, 9);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn what_is_no_file_is_an_error() {
        for path in ["/nowhere/at/all", "/"] {
            assert!(resident(Path::new(path)).is_err());
            assert!(evict(Path::new(path)).is_err());
        }
    }
}
