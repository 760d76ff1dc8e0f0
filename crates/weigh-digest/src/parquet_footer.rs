//! What the footer of a Parquet file says of how it is written: row groups, column chunks, declared order.

use std::path::Path;

use parquet::file::metadata::{ColumnChunkMetaData, FileMetaData, RowGroupMetaData};
use parquet::file::statistics::Statistics;
use parquet::schema::types::ColumnDescriptor;

use crate::Error;
use crate::pages::{Pages, Place};

/// The footer of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footer {
    /// Of the format, 1 or 2.
    pub version: i32,
    /// Those with values, in the order of the file.
    pub columns: Vec<LeafColumn>,
    /// All row groups.
    pub groups: Vec<RowGroup>,
    /// Names of what the writer keeps in the file besides.
    pub keys: Vec<String>,
}

/// A column of the schema that has values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeafColumn {
    /// Dotted where it is nested.
    pub name: String,
    /// Whether neither it nor what it lies in may be NULL.
    pub required: bool,
    /// Its number; `None` without one.
    pub field_id: Option<i32>,
}

/// A row group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowGroup {
    /// How many.
    pub rows: u64,
    /// By which columns the file says that it is sorted: their numbers, and whether descending.
    pub order: Vec<(usize, bool)>,
    /// One for each column.
    pub chunks: Vec<Chunk>,
}

/// A column in a row group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Of its first page in the file.
    pub begin: u64,
    /// Of all its pages, with their headers.
    pub bytes: u64,
    /// Whether it has the smallest or the largest value, or the number of NULLs.
    pub statistics: bool,
    /// Whether it has a column index and an offset index.
    pub page_index: bool,
}

/// Reads the footer of the file at `path`, whose column chunks lie apart and within it.
///
/// # Errors
///
/// [`Error::Io`]; [`Error::NotParquet`], which column chunks that overlap are too; [`Error::NotRead`] if it is
/// encrypted.
pub fn parquet_footer(path: &Path) -> Result<Footer, Error> {
    let Pages { metadata, chunks, .. } = Pages::open(path)?;
    let file = metadata.file_metadata();
    let mut places = chunks.iter();
    Ok(Footer {
        version: file.version(),
        columns: file.schema_descr().columns().iter().map(|column| leaf(column)).collect(),
        groups: metadata.row_groups().iter().map(|group| row_group(group, &mut places)).collect(),
        keys: keys(file),
    })
}

fn keys(file: &FileMetaData) -> Vec<String> {
    file.key_value_metadata().into_iter().flatten().map(|pair| pair.key.clone()).collect()
}

fn leaf(column: &ColumnDescriptor) -> LeafColumn {
    let info = column.self_type().get_basic_info();
    LeafColumn {
        name: column.path().string(),
        // Optional and repeated ones, at any depth, each have a level.
        required: column.max_def_level() == 0,
        field_id: info.has_id().then(|| info.id()),
    }
}

fn row_group<'a>(group: &RowGroupMetaData, places: &mut impl Iterator<Item = &'a Place>) -> RowGroup {
    let order = group.sorting_columns().into_iter().flatten();
    RowGroup {
        rows: u64::try_from(group.num_rows()).unwrap_or(0),
        order: order
            .filter_map(|one| Some((usize::try_from(one.column_idx).ok()?, one.descending)))
            .collect(),
        chunks: group.columns().iter().zip(places).map(|(column, place)| chunk(column, place)).collect(),
    }
}

fn chunk(column: &ColumnChunkMetaData, place: &Place) -> Chunk {
    let says = |one: &Statistics| {
        one.min_bytes_opt().is_some() || one.max_bytes_opt().is_some() || one.null_count_opt().is_some()
    };
    Chunk {
        begin: place.start,
        bytes: place.end - place.start,
        statistics: column.statistics().is_some_and(says),
        page_index: column.column_index_offset().is_some() && column.offset_index_offset().is_some(),
    }
}
