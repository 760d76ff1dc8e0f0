//! BLAKE3 of bytes and of files: the name of a Layout's files.

use std::fs::File;
use std::path::Path;

use crate::Error;

/// BLAKE3 of `data`, 64 hex digits.
#[must_use]
pub fn hash_bytes(data: &[u8]) -> String {
    blake3::hash(data).to_hex().to_string()
}

/// BLAKE3 of the contents of the file at `path`, 64 hex digits. Reads through a buffer of constant size.
///
/// # Errors
///
/// [`Error::Io`] if the file cannot be read.
pub fn hash_file(path: &Path) -> Result<String, Error> {
    let mut hasher = blake3::Hasher::new();
    File::open(path)
        .and_then(|file| hasher.update_reader(file).map(|_| ()))
        .map_err(|source| Error::Io { path: path.to_owned(), source })?;
    Ok(hasher.finalize().to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_input_has_the_published_hash() {
        let empty = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
        assert_eq!(hash_bytes(b""), empty);
        assert_eq!(hash_file(Path::new("/dev/null")).unwrap(), empty);
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = hash_file(Path::new("/nonexistent/file")).unwrap_err();
        assert!(error.to_string().starts_with("/nonexistent/file: cannot read"));
    }
}
