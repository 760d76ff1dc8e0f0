//! Opening a Parquet file, reading it by position, and choosing columns.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};
use parquet::file::reader::{ChunkReader, Length};
use rustix::buffer::spare_capacity;
use rustix::io::{Errno, pread};

use crate::Error;
use crate::catch_panic::catch_panic;
use crate::decoded_schema::decoded_schema;

/// Rows decoded at a time. Fewer waste time between batches, more spill out of the cache.
const BATCH: usize = 4096;

/// A file read by position: unlike [`File`] itself, its clones share no cursor, so that column readers do not disturb
/// each other. Nothing is mapped: a file truncated while it is read gives an error and no signal.
#[derive(Clone)]
pub(crate) struct Positioned {
    file: Arc<File>,
    length: u64,
}

impl Positioned {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        Ok(Self { file: Arc::new(file), length: metadata.len() })
    }

    /// Fills `buffer` with the bytes from `start` on.
    pub(crate) fn read_exact_at(&self, buffer: &mut [u8], start: u64) -> io::Result<()> {
        self.file.read_exact_at(buffer, start)
    }
}

impl Length for Positioned {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Positioned {
    type T = BufReader<Cursor>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        // Page headers come through here: a few dozen bytes, then the page itself through `get_bytes`.
        Ok(BufReader::with_capacity(1024, Cursor { file: Arc::clone(&self.file), position: start }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<bytes::Bytes> {
        // Before the allocation: the length may come from a corrupt header.
        if start.checked_add(length as u64).is_none_or(|end| end > self.length) {
            return Err(ParquetError::EOF(format!(
                "{length} bytes at {start} lie beyond the end of the file"
            )));
        }
        let mut buffer = Vec::with_capacity(length);
        while buffer.len() < length {
            let position = start + buffer.len() as u64;
            match pread(&*self.file, spare_capacity(&mut buffer), position) {
                Ok(0) => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(io::Error::from(error).into()),
            }
        }
        // The capacity may be more than was asked for.
        buffer.truncate(length);
        Ok(buffer.into())
    }
}

/// A position in a [`Positioned`] file.
pub(crate) struct Cursor {
    file: Arc<File>,
    position: u64,
}

impl Read for Cursor {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.position)?;
        self.position += read as u64;
        Ok(read)
    }
}

/// Reads the footer of the file at `path`.
pub(crate) fn footer(path: &Path) -> Result<(Positioned, ParquetMetaData), Error> {
    let source = Positioned::open(path).map_err(|source| Error::Io { path: path.to_owned(), source })?;
    let metadata = catch_panic(|| {
        ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Skip).parse_and_finish(&source)
    })
    .map_err(|reason| not_parquet(path, reason))?;
    Ok((source, metadata))
}

/// A Parquet file whose columns have been chosen.
pub(crate) struct TableFile {
    pub(crate) path: PathBuf,
    metadata: ArrowReaderMetadata,
    /// Which top-level columns to decode, in the order of the answer.
    columns: Vec<usize>,
}

impl TableFile {
    /// Opens the file and chooses the `columns` of these names in this order; all of them if `None`.
    pub(crate) fn open(path: &Path, columns: Option<&[String]>) -> Result<Self, Error> {
        let (_, metadata) = footer(path)?;
        let metadata = catch_panic(|| {
            let schema = decoded_schema(&metadata)?;
            // The writer's own Arrow schema is ignored: the digest is of what Parquet says, by whatever writer.
            let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true).with_schema(schema);
            ArrowReaderMetadata::try_new(Arc::new(metadata), options)
        })
        .map_err(|reason| not_parquet(path, reason))?;
        let fields = metadata.schema().fields();
        let columns = match columns {
            None => (0..fields.len()).collect(),
            Some(names) => names
                .iter()
                .map(|name| {
                    let mut found = (0..fields.len()).filter(|i| fields[*i].name() == name);
                    found.next().filter(|_| found.next().is_none()).ok_or_else(|| Error::NoSuchColumn {
                        path: path.to_owned(),
                        column: name.clone(),
                        present: fields.iter().map(|field| field.name().clone()).collect(),
                    })
                })
                .collect::<Result<_, _>>()?,
        };
        Ok(Self { path: path.to_owned(), metadata, columns })
    }

    /// Opens the files of one table; without `columns`, those of the first file, which the others must have as well.
    pub(crate) fn open_all(paths: &[PathBuf], columns: Option<&[String]>) -> Result<Vec<Self>, Error> {
        let mut files: Vec<Self> = Vec::with_capacity(paths.len());
        for path in paths {
            let mut file = Self::open(path, columns)?;
            if let (None, Some(first)) = (columns, files.first())
                && file.names() != first.names()
            {
                if file.columns.len() != first.columns.len() {
                    return Err(Error::DifferentColumns { first: first.path.clone(), other: path.clone() });
                }
                file = Self::open(path, Some(&first.names()))?;
            }
            files.push(file);
        }
        Ok(files)
    }

    fn names(&self) -> Vec<String> {
        let fields = self.metadata.schema().fields();
        self.columns.iter().map(|column| fields[*column].name().clone()).collect()
    }

    /// Rows of each row group.
    pub(crate) fn row_groups(&self) -> impl Iterator<Item = u64> {
        let row_groups = self.metadata.metadata().row_groups();
        row_groups.iter().map(|group| u64::try_from(group.num_rows()).unwrap_or(0))
    }

    /// Decodes one row group, page by page.
    pub(crate) fn read(
        &self,
        source: Positioned,
        row_group: usize,
    ) -> ParquetResult<ParquetRecordBatchReader> {
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), self.columns.iter().copied());
        ParquetRecordBatchReaderBuilder::new_with_metadata(source, self.metadata.clone())
            .with_row_groups(vec![row_group])
            .with_projection(mask)
            .with_batch_size(BATCH)
            .build()
    }

    /// For each chosen column, its place among the decoded ones, which come in the order of the file.
    pub(crate) fn places(&self) -> Vec<usize> {
        let mut decoded = self.columns.clone();
        decoded.sort_unstable();
        decoded.dedup();
        self.columns.iter().map(|column| decoded.partition_point(|other| other < column)).collect()
    }
}

fn not_parquet(path: &Path, reason: String) -> Error {
    Error::NotParquet { path: path.to_owned(), reason }
}
