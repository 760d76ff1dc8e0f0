//! Sources: files of the kernel that are opened once and read again and again.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// An open file whose text the kernel makes anew at each reading.
pub(crate) struct ProcFile {
    file: File,
    text: Vec<u8>,
}

impl ProcFile {
    /// Opens it.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { file: File::open(path)?, text: vec![0; 4096] })
    }

    /// Its text as it is now.
    pub(crate) fn read(&mut self) -> io::Result<&[u8]> {
        let filled = read_all(&self.file, &mut self.text)?;
        Ok(&self.text[..filled])
    }
}

/// Reads a file from its beginning into a buffer that grows as needed; gives the number of bytes.
///
/// The kernel hands out many of its files a page at a time: only an empty read is the end.
pub(crate) fn read_all(file: &File, text: &mut Vec<u8>) -> io::Result<usize> {
    let mut filled = 0;
    loop {
        if filled == text.len() {
            text.resize(2 * filled, 0);
        }
        match file.read_at(&mut text[filled..], filled as u64) {
            Ok(0) => return Ok(filled),
            Ok(more) => filled += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
