//! Columns that are read as dictionaries, and files whose footers lie about it.

use std::iter::once;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::EncodingMask;
use parquet::file::metadata::ParquetMetaDataReader;
use parquet::file::properties::WriterProperties;

use super::*;
use crate::{Digest, digest_batches};

/// A column of few values, one of many that outgrows its dictionary in the middle of a page of keys, both with nulls.
fn table() -> RecordBatch {
    let column = |of: u32| -> ArrayRef {
        let text = |row: u32| (row % 5 != 3).then(|| format!("{} of {of}, more than 12 bytes", row % of));
        Arc::new((0..3_000).map(text).collect::<StringArray>())
    };
    RecordBatch::try_from_iter([("few", column(7)), ("many", column(2_500))]).unwrap()
}

fn written(table: &RecordBatch) -> Bytes {
    let properties = WriterProperties::builder()
        .set_dictionary_page_size_limit(1_024)
        .set_write_batch_size(16)
        .set_data_page_row_count_limit(500)
        .build();
    let mut writer = ArrowWriter::try_new(Vec::new(), table.schema(), Some(properties)).unwrap();
    writer.write(table).unwrap();
    writer.into_inner().unwrap().into()
}

fn footer(file: &Bytes) -> ParquetMetaData {
    ParquetMetaDataReader::new().parse_and_finish(file).unwrap()
}

/// The same footer, which says of all columns that they have nothing but keys.
fn lying(metadata: ParquetMetaData) -> ParquetMetaData {
    let group = metadata.row_group(0).clone();
    let keys = EncodingMask::new_from_encodings(once(&Encoding::RLE_DICTIONARY));
    let lie =
        |chunk: &ColumnChunkMetaData| chunk.clone().into_builder().set_page_encoding_stats_mask(keys).build();
    let chunks = group.columns().iter().map(lie).collect::<Result<_, _>>().unwrap();
    let group = group.into_builder().set_column_metadata(chunks).build().unwrap();
    metadata.into_builder().set_row_groups(vec![group]).build()
}

fn digest(file: Bytes, metadata: ParquetMetaData, batch: usize) -> Digest {
    let options = ArrowReaderOptions::new()
        .with_skip_arrow_metadata(true)
        .with_schema(decoded_schema(&metadata).unwrap().whole);
    let metadata = ArrowReaderMetadata::try_new(Arc::new(metadata), options).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata).with_batch_size(batch);
    digest_batches(reader.build().unwrap(), None).unwrap()
}

fn dictionaries(metadata: &ParquetMetaData) -> Vec<bool> {
    let schema = decoded_schema(metadata).unwrap();
    schema.whole.fields().iter().map(|field| matches!(field.data_type(), DataType::Dictionary(..))).collect()
}

#[test]
fn dictionaries_do_not_show_even_where_they_end() {
    let table = table();
    let file = written(&table);
    let expected = digest_batches([Ok(table)], None).unwrap();
    let footer = footer(&file);
    assert_eq!(dictionaries(&footer), [true, false]);
    let lie = lying(footer.clone());
    assert_eq!(dictionaries(&lie), [true, true]);
    // Batches of fewer rows than a dictionary has values, and of more.
    for batch in [3, 100, 4_096] {
        assert_eq!(digest(file.clone(), footer.clone(), batch), expected, "batches of {batch}");
        assert_eq!(
            digest(file.clone(), lie.clone(), batch),
            expected,
            "batches of {batch}, of a lying footer"
        );
    }
}
