//! The Arrow types that the columns of a Parquet file are decoded to: those that are cheapest to decode and to hash.
//!
//! In the encoding of values they are all the same.

use std::sync::Arc;

use arrow_schema::{
    DECIMAL32_MAX_PRECISION, DECIMAL64_MAX_PRECISION, DataType, Field, FieldRef, Schema, SchemaRef,
};
use parquet::arrow::parquet_to_arrow_schema;
use parquet::basic::{ConvertedType, Encoding};
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

/// Bytes of a dictionary page, compressed and with its header, up to which encoding all its values for each batch is
/// less work than encoding a value for each row.
const SMALL_DICTIONARY: i64 = 4096;

/// The types to ask the parquet crate for.
///
/// # Errors
///
/// What the parquet crate says of a schema that has no Arrow form.
pub(crate) fn decoded_schema(metadata: &ParquetMetaData) -> ParquetResult<SchemaRef> {
    let parquet = metadata.file_metadata().schema_descr();
    let schema = parquet_to_arrow_schema(parquet, None)?;
    let mut fields: Vec<_> = schema.fields().iter().map(cheap_field).collect();
    for (leaf, column) in parquet.columns().iter().enumerate() {
        let root = parquet.get_column_root_idx(leaf);
        let field = schema.field(root);
        match (field.data_type(), column.converted_type()) {
            // Of any other pair the parquet crate would make a dictionary whose values have another type than it says.
            (values @ DataType::Utf8, ConvertedType::UTF8)
            | (values @ DataType::Binary, ConvertedType::NONE)
                if metadata.row_groups().iter().all(|group| is_small_dictionary(group.column(leaf))) =>
            {
                let dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(values.clone()));
                fields[root] = Arc::new(field.clone().with_data_type(dictionary));
            }
            _ => {}
        }
    }
    Ok(Arc::new(Schema::new(fields)))
}

/// Whether all values are in a dictionary, and that is small. A footer that lies about it costs time and memory: for
/// pages without keys the parquet crate makes a dictionary of its own for each batch.
fn is_small_dictionary(chunk: &ColumnChunkMetaData) -> bool {
    let bytes = chunk.dictionary_page_offset().map(|start| chunk.data_page_offset().saturating_sub(start));
    let only = |encoding| chunk.page_encoding_stats_mask().is_some_and(|mask| mask.is_only(encoding));
    bytes.is_some_and(|bytes| bytes <= SMALL_DICTIONARY)
        && (only(Encoding::RLE_DICTIONARY) || only(Encoding::PLAIN_DICTIONARY))
}

/// The same field as views, which need no copy of the bytes, or as a small decimal, which is not of 128 bits.
fn cheap_field(field: &FieldRef) -> FieldRef {
    let data_type = match field.data_type() {
        DataType::Utf8 => DataType::Utf8View,
        DataType::Binary => DataType::BinaryView,
        DataType::Decimal128(precision, scale) if *precision <= DECIMAL32_MAX_PRECISION => {
            DataType::Decimal32(*precision, *scale)
        }
        DataType::Decimal128(precision, scale) if *precision <= DECIMAL64_MAX_PRECISION => {
            DataType::Decimal64(*precision, *scale)
        }
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(cheap_field).collect()),
        DataType::List(item) => DataType::List(cheap_field(item)),
        DataType::Map(entries, sorted) => DataType::Map(cheap_field(entries), *sorted),
        other => other.clone(),
    };
    Arc::new(Field::clone(field).with_data_type(data_type))
}

#[cfg(test)]
mod tests;
