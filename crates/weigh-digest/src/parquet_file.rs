//! Opening a Parquet file, reading it by position, and choosing columns.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::ArrowError;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::{
    ColumnChunkMetaData, PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData,
};
use parquet::file::reader::{ChunkReader, Length};
use rustix::buffer::spare_capacity;
use rustix::io::{Errno, pread};

use crate::Error;
use crate::catch_panic::catch_panic;
use crate::decoded_schema::{decoded_schema, without_unknown_types};
use crate::halves::joined;

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
    .and_then(|metadata| catch_panic(|| without_odd_offsets(metadata)))
    .map_err(|reason| {
        // Without a key there is nothing to be read, and nothing wrong.
        if is_encrypted(&source) {
            let reason = "it is encrypted".to_owned();
            return Error::NotRead { path: path.to_owned(), column: None, reason };
        }
        not_parquet(path, reason)
    })?;
    Ok((source, metadata))
}

/// Whether the footer itself is encrypted, which the last bytes of the file say.
fn is_encrypted(source: &Positioned) -> bool {
    let mut tail = [0; 4];
    let end = source.length.checked_sub(4);
    end.is_some_and(|end| source.read_exact_at(&mut tail, end).is_ok()) && &tail == b"PARE"
}

/// Some writers say 0 where there is no dictionary, or where it lies before the data whose place they do say.
fn without_odd_offsets(mut metadata: ParquetMetaData) -> ParquetResult<ParquetMetaData> {
    let is_odd = |chunk: &ColumnChunkMetaData| chunk.dictionary_page_offset().is_some_and(|at| at <= 0);
    if !metadata.row_groups().iter().flat_map(RowGroupMetaData::columns).any(is_odd) {
        return Ok(metadata);
    }
    let mut builder = metadata.into_builder();
    let mut groups = builder.take_row_groups();
    for chunk in groups.iter_mut().flat_map(RowGroupMetaData::columns_mut) {
        if is_odd(chunk) {
            *chunk = chunk.clone().into_builder().set_dictionary_page_offset(None).build()?;
        }
    }
    metadata = builder.set_row_groups(groups).build();
    Ok(metadata)
}

/// A Parquet file whose columns have been chosen.
pub(crate) struct TableFile {
    pub(crate) path: PathBuf,
    metadata: ArrowReaderMetadata,
    /// With the other half of those types that the parquet crate decodes in halves; `None` where there are none.
    halves: Option<ArrowReaderMetadata>,
    /// Which top-level columns to decode, in the order of the answer.
    columns: Vec<usize>,
}

impl TableFile {
    /// Opens the file and chooses the `columns` of these names in this order; all of them if `None`.
    pub(crate) fn open(path: &Path, columns: Option<&[String]>) -> Result<Self, Error> {
        let (_, metadata) = footer(path)?;
        let (metadata, halves) = catch_panic(|| {
            let metadata = Arc::new(without_unknown_types(metadata)?);
            let schemas = decoded_schema(&metadata)?;
            // The writer's own Arrow schema is ignored: the digest is of what Parquet says, by whatever writer.
            let of = |schema| {
                let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true).with_schema(schema);
                ArrowReaderMetadata::try_new(Arc::clone(&metadata), options)
            };
            Ok::<_, ParquetError>((of(schemas.whole)?, schemas.other_half.map(of).transpose()?))
        })
        // The footer was read: what is left is a type that the parquet crate does not know.
        .map_err(|reason| Error::NotRead { path: path.to_owned(), column: None, reason })?;
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
        Ok(Self { path: path.to_owned(), metadata, halves, columns })
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
    pub(crate) fn read(&self, source: &Positioned, row_group: usize) -> ParquetResult<Batches> {
        let reader = |metadata: &ArrowReaderMetadata, columns: &[usize]| {
            let mask = ProjectionMask::roots(metadata.parquet_schema(), columns.iter().copied());
            ParquetRecordBatchReaderBuilder::new_with_metadata(source.clone(), metadata.clone())
                .with_row_groups(vec![row_group])
                .with_projection(mask)
                .with_batch_size(BATCH)
                .build()
        };
        let decoded = self.decoded();
        let other = match &self.halves {
            Some(halves) => {
                let in_halves =
                    |column: &usize| self.metadata.schema().field(*column) != halves.schema().field(*column);
                let columns: Vec<_> = decoded.iter().copied().filter(in_halves).collect();
                let places =
                    columns.iter().map(|column| decoded.partition_point(|one| one < column)).collect();
                if columns.is_empty() { None } else { Some((reader(halves, &columns)?, places)) }
            }
            None => None,
        };
        Ok(Batches { whole: reader(&self.metadata, &decoded)?, other })
    }

    /// Which chosen columns cannot be decoded by themselves, in one row group: the first, and why.
    pub(crate) fn faulty(&self, source: &Positioned, row_group: usize) -> Option<(String, String)> {
        self.decoded().into_iter().find_map(|column| {
            let alone = Self {
                path: self.path.clone(),
                metadata: self.metadata.clone(),
                halves: self.halves.clone(),
                columns: vec![column],
            };
            let decode = || alone.read(source, row_group)?.try_for_each(|batch| batch.map(drop));
            let reason = catch_panic(decode).err()?;
            Some((self.metadata.schema().field(column).name().clone(), reason))
        })
    }

    /// The chosen columns in the order of the file, each once.
    fn decoded(&self) -> Vec<usize> {
        let mut decoded = self.columns.clone();
        decoded.sort_unstable();
        decoded.dedup();
        decoded
    }

    /// For each chosen column, its place among the decoded ones, which come in the order of the file.
    pub(crate) fn places(&self) -> Vec<usize> {
        let decoded = self.decoded();
        self.columns.iter().map(|column| decoded.partition_point(|other| other < column)).collect()
    }
}

/// The batches of a row group.
pub(crate) struct Batches {
    whole: ParquetRecordBatchReader,
    /// The other half of some columns, and the places of these among the whole ones.
    other: Option<(ParquetRecordBatchReader, Vec<usize>)>,
}

impl Iterator for Batches {
    /// The decoded columns in the order of the file, and how many rows they have.
    type Item = Result<(Vec<ArrayRef>, usize), ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = match self.whole.next()? {
            Ok(batch) => batch,
            Err(error) => return Some(Err(error)),
        };
        let mut columns = batch.columns().to_vec();
        if let Some((reader, places)) = &mut self.other {
            let halves = match reader.next() {
                Some(Ok(halves)) if halves.num_rows() == batch.num_rows() => halves,
                Some(Err(error)) => return Some(Err(error)),
                _ => return Some(Err(ArrowError::ParquetError("a column ends too soon".to_owned()))),
            };
            for (place, half) in places.iter().zip(halves.columns()) {
                match joined(&columns[*place], half) {
                    Ok(array) => columns[*place] = array,
                    Err(error) => return Some(Err(error)),
                }
            }
        }
        Some(Ok((columns, batch.num_rows())))
    }
}

fn not_parquet(path: &Path, reason: String) -> Error {
    Error::NotParquet { path: path.to_owned(), reason }
}
