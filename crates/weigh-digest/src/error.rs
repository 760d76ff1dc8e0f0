//! What can be wrong, where, and what to do about it.

use std::path::PathBuf;
use std::{fmt, io};

use arrow_schema::DataType;

/// Why a digest, or the facts of a file, could not be had.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The file could not be opened or read. Check the path and the permissions.
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file has no readable Parquet footer: another format, or cut short. Write it again.
    NotParquet {
        /// The file.
        path: PathBuf,
        /// What the reader said.
        reason: String,
    },
    /// The footer is sound and a page is not: a wrong checksum, or bytes that do not decode. Write the file again.
    Corrupt {
        /// The file.
        path: PathBuf,
        /// Row group, counted from 0.
        row_group: usize,
        /// Path of the column, where it is known.
        column: Option<String>,
        /// What the reader said.
        reason: String,
    },
    /// The file may be sound, and has a form that this crate does not read: encryption, an encoding, an annotation of
    /// a type. Leave the column out, or write it in another form.
    NotRead {
        /// The file.
        path: PathBuf,
        /// Path of the column, where one alone is at fault.
        column: Option<String>,
        /// What it is.
        reason: String,
    },
    /// A value or a type has no canonical encoding. Leave the column out, or cast it.
    Unsupported {
        /// The file, if it is in one.
        path: Option<PathBuf>,
        /// Column, counted from 0, among those that were asked for.
        column: usize,
        /// Its type, or the type inside it that is at fault.
        data_type: DataType,
        /// Why.
        reason: &'static str,
    },
    /// The file lacks a column, or has its name twice. Name columns that every file has.
    NoSuchColumn {
        /// The file.
        path: PathBuf,
        /// The name that was asked for.
        column: String,
        /// Names of the columns there are.
        present: Vec<String>,
    },
    /// The files of one table have different columns. Name the columns they share.
    DifferentColumns {
        /// The first file.
        first: PathBuf,
        /// The file that differs from it.
        other: PathBuf,
    },
    /// The producer of an Arrow stream failed, or a column number is out of range.
    Stream {
        /// What it said.
        reason: String,
    },
    /// The text is not a digest of this scheme. Take the digest again.
    NotADigest {
        /// The text.
        text: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, source } => write!(f, "{}: cannot read: {source}", path.display()),
            Self::NotParquet { path, reason } => {
                write!(f, "{}: not a readable Parquet file: {reason}", path.display())
            }
            Self::Corrupt { path, row_group, column, reason } => {
                write!(f, "{}: corrupt in row group {row_group}", path.display())?;
                if let Some(column) = column {
                    write!(f, ", column {column}")?;
                }
                write!(f, ": {reason}")
            }
            Self::NotRead { path, column, reason } => {
                write!(f, "{}: weigh does not read ", path.display())?;
                match column {
                    Some(column) => write!(f, "column {column}: {reason}"),
                    None => write!(f, "it: {reason}"),
                }
            }
            Self::Unsupported { path, column, data_type, reason } => {
                if let Some(path) = path {
                    write!(f, "{}: ", path.display())?;
                }
                write!(f, "column {column}: {data_type} cannot be digested: {reason}")
            }
            Self::NoSuchColumn { path, column, present } => write!(
                f,
                "{}: not exactly one column is named {column:?}; there are {}",
                path.display(),
                present.join(", ")
            ),
            Self::DifferentColumns { first, other } => write!(
                f,
                "{}: its columns are not those of {}; name the columns they share",
                other.display(),
                first.display()
            ),
            Self::Stream { reason } => write!(f, "Arrow stream: {reason}"),
            Self::NotADigest { text } => {
                write!(f, "not a digest: {text:?} (expected x3s2:<rows>:<32 hex digits>)")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
