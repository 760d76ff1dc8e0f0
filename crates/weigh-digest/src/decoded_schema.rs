//! The Arrow types that the columns of a Parquet file are decoded to: those that are cheapest to decode and to hash.
//!
//! In the encoding of values they are all the same.

use std::sync::Arc;

use arrow_schema::{
    DECIMAL32_MAX_PRECISION, DECIMAL64_MAX_PRECISION, DataType, Field, FieldRef, IntervalUnit, Schema,
    SchemaRef, TimeUnit,
};
use parquet::arrow::parquet_to_arrow_schema;
use parquet::basic::{ConvertedType, Encoding, LogicalType, Type as PhysicalType};
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::{ColumnChunkMetaData, FileMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::schema::types::{ColumnDescPtr, ColumnDescriptor, SchemaDescriptor, Type, TypePtr};

/// Bytes of a dictionary page, compressed and with its header, up to which encoding all its values for each batch is
/// less work than encoding a value for each row.
const SMALL_DICTIONARY: i64 = 4096;

/// The types to ask the parquet crate for.
pub(crate) struct DecodedSchema {
    /// Of all columns.
    pub(crate) whole: SchemaRef,
    /// Of all columns again, where some are of types that are decoded in halves (see [`crate::halves`]).
    pub(crate) other_half: Option<SchemaRef>,
}

/// The types to ask the parquet crate for.
///
/// # Errors
///
/// What the parquet crate says of a schema that has no Arrow form.
pub(crate) fn decoded_schema(metadata: &ParquetMetaData) -> ParquetResult<DecodedSchema> {
    let parquet = metadata.file_metadata().schema_descr();
    let schema = parquet_to_arrow_schema(parquet, None)?;
    let fields_of = |half| {
        let mut leaves = parquet.columns().iter();
        schema.fields().iter().map(|field| cheap_field(field, &mut leaves, half)).collect::<Vec<_>>()
    };
    let (mut fields, mut halves) = (fields_of(false), fields_of(true));
    let in_halves = fields != halves;
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
                halves[root] = Arc::clone(&fields[root]);
            }
            _ => {}
        }
    }
    let other_half = in_halves.then(|| Arc::new(Schema::new(halves)));
    Ok(DecodedSchema { whole: Arc::new(Schema::new(fields)), other_half })
}

/// The same footer without annotations that the parquet crate does not know: the column is then of its physical type,
/// as the format wants it.
pub(crate) fn without_unknown_types(metadata: ParquetMetaData) -> ParquetResult<ParquetMetaData> {
    let file = metadata.file_metadata();
    if !file.schema_descr().columns().iter().any(|column| is_unknown(column.self_type())) {
        return Ok(metadata);
    }
    let root = known(file.schema())?;
    let schema = Arc::new(SchemaDescriptor::new(root));
    let file = FileMetaData::new(
        file.version(),
        file.num_rows(),
        file.created_by().map(str::to_owned),
        file.key_value_metadata().cloned(),
        Arc::clone(&schema),
        file.column_orders().cloned(),
    );
    let groups = metadata.row_groups().iter().map(|group| {
        RowGroupMetaData::builder(Arc::clone(&schema))
            .set_num_rows(group.num_rows())
            .set_total_byte_size(group.total_byte_size())
            .set_column_metadata(group.columns().to_vec())
            .build()
    });
    Ok(ParquetMetaData::new(file, groups.collect::<ParquetResult<_>>()?))
}

fn is_unknown(of: &Type) -> bool {
    matches!(of.get_basic_info().logical_type_ref(), Some(LogicalType::_Unknown { .. }))
}

fn known(of: &Type) -> ParquetResult<TypePtr> {
    let info = of.get_basic_info();
    let id = info.has_id().then(|| info.id());
    Ok(Arc::new(match of {
        Type::PrimitiveType { physical_type, type_length, .. } if is_unknown(of) => {
            Type::primitive_type_builder(of.name(), *physical_type)
                .with_repetition(info.repetition())
                .with_length(*type_length)
                .with_id(id)
                .build()?
        }
        Type::PrimitiveType { .. } => of.clone(),
        Type::GroupType { fields, .. } => {
            let fields = fields.iter().map(|field| known(field)).collect::<ParquetResult<_>>()?;
            let mut builder = Type::group_type_builder(of.name())
                .with_converted_type(info.converted_type())
                .with_logical_type(info.logical_type_ref().cloned())
                .with_fields(fields)
                .with_id(id);
            if info.has_repetition() {
                builder = builder.with_repetition(info.repetition());
            }
            builder.build()?
        }
    }))
}

/// Whether all values are in a dictionary, and that is small. A footer that lies about it costs time and memory: for
/// pages without keys the parquet crate makes a dictionary of its own for each batch.
fn is_small_dictionary(chunk: &ColumnChunkMetaData) -> bool {
    let bytes = chunk.dictionary_page_offset().map(|start| chunk.data_page_offset().saturating_sub(start));
    let only = |encoding| chunk.page_encoding_stats_mask().is_some_and(|mask| mask.is_only(encoding));
    bytes.is_some_and(|bytes| bytes <= SMALL_DICTIONARY)
        && (only(Encoding::RLE_DICTIONARY) || only(Encoding::PLAIN_DICTIONARY))
}

/// The same field as views, which need no copy of the bytes, or as a small decimal, which is not of 128 bits; of the
/// types that are decoded in halves, the one half or the other.
fn cheap_field<'a>(
    field: &FieldRef,
    leaves: &mut impl Iterator<Item = &'a ColumnDescPtr>,
    other_half: bool,
) -> FieldRef {
    let data_type = match field.data_type() {
        DataType::Struct(fields) => {
            DataType::Struct(fields.iter().map(|one| cheap_field(one, leaves, other_half)).collect())
        }
        DataType::List(item) => DataType::List(cheap_field(item, leaves, other_half)),
        DataType::Map(entries, sorted) => DataType::Map(cheap_field(entries, leaves, other_half), *sorted),
        // Each other type is one leaf, and they come in the same order.
        flat => match leaves.next() {
            Some(leaf) => cheap_type(flat, leaf, other_half),
            None => flat.clone(),
        },
    };
    Arc::new(Field::clone(field).with_data_type(data_type))
}

fn cheap_type(flat: &DataType, leaf: &ColumnDescriptor, other_half: bool) -> DataType {
    let physical = leaf.physical_type();
    // Fixed bytes may be longer than the digits need; the other types are no longer.
    let length = if physical == PhysicalType::FIXED_LEN_BYTE_ARRAY { leaf.type_length() } else { 0 };
    match flat {
        DataType::Utf8 => DataType::Utf8View,
        DataType::Binary => DataType::BinaryView,
        // Each value has a length of its own, which may be more than its digits need, too.
        DataType::Decimal128(precision, scale) if physical == PhysicalType::BYTE_ARRAY => {
            DataType::Decimal256(*precision, *scale)
        }
        DataType::Decimal128(precision, scale) if *precision <= DECIMAL32_MAX_PRECISION && length <= 4 => {
            DataType::Decimal32(*precision, *scale)
        }
        DataType::Decimal128(precision, scale) if *precision <= DECIMAL64_MAX_PRECISION && length <= 8 => {
            DataType::Decimal64(*precision, *scale)
        }
        DataType::Timestamp(TimeUnit::Nanosecond, zone) if physical == PhysicalType::INT96 && !other_half => {
            DataType::Timestamp(TimeUnit::Microsecond, zone.clone())
        }
        DataType::Interval(_) if other_half => DataType::Interval(IntervalUnit::YearMonth),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests;
