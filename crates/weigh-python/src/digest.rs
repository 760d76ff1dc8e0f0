//! weigh-digest: digests, differences, hashes and facts.
#![expect(
    clippy::needless_pass_by_value,
    reason = "what Python passes is converted, and belongs to the function"
)]

use std::path::{Path, PathBuf};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use weigh_digest::{ColumnFacts, Digest, Error, Located};

use crate::arrow_stream;

pyo3::create_exception!(
    weigh._native,
    DigestError,
    PyValueError,
    "A file, a column or a stream cannot be digested."
);

fn raised(error: Error) -> PyErr {
    DigestError::new_err(error.to_string())
}

#[pyfunction]
#[pyo3(signature = (paths, columns=None, threads=0))]
pub(crate) fn digest_parquet(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    columns: Option<Vec<String>>,
    threads: usize,
) -> PyResult<String> {
    let digest = py.detach(|| weigh_digest::digest_parquet(&paths, columns.as_deref(), threads));
    digest.map(|digest| digest.to_string()).map_err(raised)
}

#[pyfunction]
#[pyo3(signature = (stream, columns=None))]
pub(crate) fn digest_arrow(stream: &Bound<'_, PyAny>, columns: Option<Vec<usize>>) -> PyResult<String> {
    let reader = arrow_stream::open(stream)?;
    let digest = stream.py().detach(|| {
        let reader = reader.map_err(|error| Error::Stream { reason: error.to_string() })?;
        weigh_digest::digest_batches(reader, columns.as_deref())
    });
    digest.map(|digest| digest.to_string()).map_err(raised)
}

#[pyfunction]
pub(crate) fn merge_digests(digests: Vec<String>) -> PyResult<String> {
    let whole = digests.iter().map(|text| text.parse::<Digest>()).sum::<Result<Digest, Error>>();
    whole.map(|digest| digest.to_string()).map_err(raised)
}

#[pyfunction]
pub(crate) fn hash_file(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    py.detach(|| weigh_digest::hash_file(&path)).map_err(raised)
}

#[pyfunction]
pub(crate) fn hash_bytes(py: Python<'_>, data: &[u8]) -> String {
    py.detach(|| weigh_digest::hash_bytes(data))
}

#[pyfunction]
#[pyo3(signature = (left, right, columns=None, limit=20))]
pub(crate) fn diff_parquet(
    py: Python<'_>,
    left: Vec<PathBuf>,
    right: Vec<PathBuf>,
    columns: Option<Vec<String>>,
    limit: usize,
) -> PyResult<Bound<'_, PyDict>> {
    let diff =
        py.detach(|| weigh_digest::diff_parquet(&left, &right, columns.as_deref(), limit)).map_err(raised)?;
    let rows = |rows: &[Located]| rows.iter().map(|at| (text(&at.path), at.row)).collect::<Vec<_>>();
    let dict = PyDict::new(py);
    dict.set_item("only_left", diff.only_left)?;
    dict.set_item("only_right", diff.only_right)?;
    dict.set_item("left_rows", rows(&diff.left_rows))?;
    dict.set_item("right_rows", rows(&diff.right_rows))?;
    Ok(dict)
}

#[pyfunction]
pub(crate) fn parquet_facts(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyDict>> {
    let facts = py.detach(|| weigh_digest::parquet_facts(&path)).map_err(raised)?;
    let row_groups = PyDict::new(py);
    row_groups.set_item("count", facts.row_groups.len())?;
    row_groups.set_item("min_rows", facts.row_groups.iter().min().unwrap_or(&0))?;
    row_groups.set_item("max_rows", facts.row_groups.iter().max().unwrap_or(&0))?;
    let columns = PyDict::new(py);
    for facts in &facts.columns {
        columns.set_item(&facts.name, column_facts(py, facts)?)?;
    }
    let dict = PyDict::new(py);
    dict.set_item("rows", facts.rows)?;
    dict.set_item("row_groups", row_groups)?;
    dict.set_item("created_by", facts.created_by)?;
    dict.set_item("page_checksums", facts.columns.iter().all(|column| column.page_checksums))?;
    dict.set_item(
        "page_index",
        facts.columns.iter().all(|column| column.offset_index && column.column_index),
    )?;
    dict.set_item("columns", columns)?;
    Ok(dict)
}

fn column_facts<'py>(py: Python<'py>, facts: &ColumnFacts) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("physical_type", &facts.physical_type)?;
    dict.set_item("logical_type", &facts.logical_type)?;
    dict.set_item("codec", facts.codecs.iter().map(String::as_str).collect::<Vec<_>>().join(","))?;
    dict.set_item("encodings", facts.encodings.iter().collect::<Vec<_>>())?;
    dict.set_item("compressed_bytes", facts.compressed_bytes)?;
    dict.set_item("uncompressed_bytes", facts.uncompressed_bytes)?;
    dict.set_item("bloom_filter_bytes", facts.bloom_filter_bytes)?;
    dict.set_item("statistics", facts.statistics)?;
    dict.set_item("column_index", facts.column_index)?;
    dict.set_item("offset_index", facts.offset_index)?;
    dict.set_item("page_checksums", facts.page_checksums)?;
    Ok(dict)
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
