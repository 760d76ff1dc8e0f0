//! What a Parquet file says of itself: writer, row groups, codecs, encodings, checksums.

use std::collections::BTreeSet;
use std::path::Path;

use parquet::basic::{ConvertedType, LogicalType, TimeUnit};
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::reader::{ChunkReader, Length};
use parquet::schema::types::ColumnDescriptor;

use crate::Error;
use crate::catch_panic::catch_panic;
use crate::parquet_file::{Positioned, footer};
use crate::thrift::leading_i32;

/// The facts of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParquetFacts {
    /// Rows in the file.
    pub rows: u64,
    /// Rows of each row group.
    pub row_groups: Vec<u64>,
    /// The writer, in its own words.
    pub created_by: Option<String>,
    /// One for each leaf column, in the order of the file.
    pub columns: Vec<ColumnFacts>,
}

/// The facts of one leaf column over all row groups.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, and not a state")]
pub struct ColumnFacts {
    /// Path of the column, dotted where it is nested.
    pub name: String,
    /// Physical type, e.g. `INT64`.
    pub physical_type: String,
    /// Logical type, e.g. `DECIMAL(15,2)`; `None` for a bare physical type.
    pub logical_type: Option<String>,
    /// Codecs in use, e.g. `ZSTD`.
    pub codecs: BTreeSet<String>,
    /// Encodings in use, levels and dictionary pages included, e.g. `RLE_DICTIONARY`.
    pub encodings: BTreeSet<String>,
    /// Bytes of all its pages in the file.
    pub compressed_bytes: u64,
    /// Bytes of all its pages before compression.
    pub uncompressed_bytes: u64,
    /// Bytes of its Bloom filters, 0 without.
    pub bloom_filter_bytes: u64,
    /// Whether every row group has statistics of it.
    pub statistics: bool,
    /// Whether every row group has page statistics (a column index) of it.
    pub column_index: bool,
    /// Whether every row group has the places of its pages (an offset index).
    pub offset_index: bool,
    /// Whether the first page of every row group carries a checksum.
    pub page_checksums: bool,
}

/// Reads the facts of the file at `path`: its footer, and the head of the first page of each column chunk.
///
/// # Errors
///
/// [`Error::Io`] and [`Error::NotParquet`].
pub fn parquet_facts(path: &Path) -> Result<ParquetFacts, Error> {
    let (source, metadata) = footer(path)?;
    catch_panic(|| facts(&source, &metadata))
        .map_err(|reason| Error::NotParquet { path: path.to_owned(), reason })
}

fn facts(source: &Positioned, metadata: &ParquetMetaData) -> ParquetResult<ParquetFacts> {
    let file = metadata.file_metadata();
    let columns = file.schema_descr().columns().iter().enumerate().map(|(number, descriptor)| {
        let chunks: Vec<_> = metadata.row_groups().iter().map(|group| group.column(number)).collect();
        column(source, descriptor, &chunks)
    });
    Ok(ParquetFacts {
        rows: unsigned(file.num_rows()),
        row_groups: metadata.row_groups().iter().map(|group| unsigned(group.num_rows())).collect(),
        created_by: file.created_by().map(str::to_owned),
        columns: columns.collect::<ParquetResult<_>>()?,
    })
}

fn column(
    source: &Positioned,
    descriptor: &ColumnDescriptor,
    chunks: &[&ColumnChunkMetaData],
) -> ParquetResult<ColumnFacts> {
    let every = |has: fn(&ColumnChunkMetaData) -> bool| chunks.iter().all(|chunk| has(chunk));
    let mut page_checksums = true;
    let mut bloom_filter_bytes = 0;
    for chunk in chunks {
        page_checksums &= first_page_has_checksum(source, chunk)?;
        bloom_filter_bytes += bloom_filter_length(source, chunk)?;
    }
    Ok(ColumnFacts {
        name: descriptor.path().string(),
        physical_type: descriptor.physical_type().to_string(),
        logical_type: logical_type(descriptor),
        codecs: chunks.iter().map(|chunk| format!("{:?}", chunk.compression_codec())).collect(),
        encodings: chunks.iter().flat_map(|chunk| chunk.encodings()).map(|e| e.to_string()).collect(),
        compressed_bytes: chunks.iter().map(|chunk| unsigned(chunk.compressed_size())).sum(),
        uncompressed_bytes: chunks.iter().map(|chunk| unsigned(chunk.uncompressed_size())).sum(),
        bloom_filter_bytes,
        statistics: every(|chunk| chunk.statistics().is_some()),
        column_index: every(|chunk| chunk.column_index_offset().is_some()),
        offset_index: every(|chunk| chunk.offset_index_offset().is_some()),
        page_checksums,
    })
}

/// The first page is the dictionary's, if there is one. Writers checksum all pages or none.
fn first_page_has_checksum(source: &Positioned, chunk: &ColumnChunkMetaData) -> ParquetResult<bool> {
    let (start, _) = chunk.byte_range();
    // Fields of PageHeader: 1 type, 2 and 3 sizes, 4 crc.
    let [_, _, _, crc] = leading_i32::<4>(&head(source, start)?);
    Ok(crc.is_some())
}

fn bloom_filter_length(source: &Positioned, chunk: &ColumnChunkMetaData) -> ParquetResult<u64> {
    match (chunk.bloom_filter_offset(), chunk.bloom_filter_length()) {
        (None, _) => Ok(0),
        (Some(_), Some(length)) => Ok(unsigned(length.into())),
        (Some(offset), None) => {
            // Older writers leave the length out. Field 1 of BloomFilterHeader: size of the bit set.
            let [bits] = leading_i32::<1>(&head(source, unsigned(offset))?);
            Ok(unsigned(bits.unwrap_or(0).into()))
        }
    }
}

/// The next few bytes from `start`: the leading fields of any header.
fn head(source: &Positioned, start: u64) -> ParquetResult<bytes::Bytes> {
    const HEAD: u64 = 32;
    let length = source.len().saturating_sub(start).min(HEAD);
    source.get_bytes(start, usize::try_from(length)?)
}

/// A size or count of the footer; what is negative there is corrupt, and shown as nothing.
fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

fn logical_type(descriptor: &ColumnDescriptor) -> Option<String> {
    let unit = |unit: &TimeUnit| format!("{unit:?}");
    Some(match descriptor.logical_type_ref() {
        Some(LogicalType::Decimal(decimal)) => format!("DECIMAL({},{})", decimal.precision, decimal.scale),
        Some(LogicalType::Integer(int)) => {
            format!("{}INT({})", if int.is_signed { "" } else { "U" }, int.bit_width)
        }
        Some(LogicalType::Timestamp(timestamp)) => {
            let zone = if timestamp.is_adjusted_to_u_t_c { ",UTC" } else { "" };
            format!("TIMESTAMP({}{zone})", unit(&timestamp.unit))
        }
        Some(LogicalType::Time(time)) => {
            let zone = if time.is_adjusted_to_u_t_c { ",UTC" } else { "" };
            format!("TIME({}{zone})", unit(&time.unit))
        }
        Some(other) => format!("{other:?}").to_uppercase(),
        None => match descriptor.converted_type() {
            ConvertedType::NONE => return None,
            ConvertedType::DECIMAL => {
                format!("DECIMAL({},{})", descriptor.type_precision(), descriptor.type_scale())
            }
            other => other.to_string(),
        },
    })
}
