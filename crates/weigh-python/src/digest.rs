//! weigh-digest: digests, differences, hashes and facts.
#![expect(
    clippy::needless_pass_by_value,
    reason = "what Python passes is converted, and belongs to the function"
)]

use std::path::{Path, PathBuf};

use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use weigh_digest::{BadPage, Chunk, ColumnFacts, Damage, Digest, Error, Located, PageKind};

use crate::arrow_stream;

pyo3::create_exception!(
    weigh._native,
    DigestError,
    PyValueError,
    "A file, a column or a stream cannot be digested."
);

pyo3::create_exception!(
    weigh._native,
    NotReadError,
    DigestError,
    "A file may be sound, and has a form that weigh does not read."
);

fn raised(error: Error) -> PyErr {
    match error {
        Error::NotRead { .. } | Error::Unsupported { .. } => NotReadError::new_err(error.to_string()),
        _ => DigestError::new_err(error.to_string()),
    }
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

#[pyfunction]
#[pyo3(signature = (path, threads=0))]
pub(crate) fn check_pages(py: Python<'_>, path: PathBuf, threads: usize) -> PyResult<Bound<'_, PyDict>> {
    let checks = py.detach(|| weigh_digest::check_pages(&path, threads)).map_err(raised)?;
    let dict = PyDict::new(py);
    dict.set_item("pages", checks.pages)?;
    dict.set_item("with_checksum", checks.with_checksum)?;
    dict.set_item("bytes", checks.bytes)?;
    dict.set_item("unpacked", checks.unpacked)?;
    let largest = checks.largest.map(|page| (page.column, page.compressed, page.uncompressed));
    dict.set_item("largest", largest)?;
    dict.set_item("bad_pages", checks.bad_pages)?;
    let bad = checks.bad.iter().map(|page| bad_page(py, page)).collect::<PyResult<Vec<_>>>()?;
    dict.set_item("bad", bad)?;
    Ok(dict)
}

fn bad_page<'py>(py: Python<'py>, page: &BadPage) -> PyResult<Bound<'py, PyDict>> {
    let (stored, found, reason) = match &page.damage {
        Damage::Checksum { stored, found } => (Some(*stored), Some(*found), None),
        Damage::Header(reason) => (None, None, Some(*reason)),
    };
    let dict = PyDict::new(py);
    dict.set_item("row_group", page.row_group)?;
    dict.set_item("column", &page.column)?;
    dict.set_item("page", page.page)?;
    dict.set_item("header", page.header)?;
    dict.set_item("stored", stored)?;
    dict.set_item("found", found)?;
    dict.set_item("reason", reason)?;
    Ok(dict)
}

#[pyfunction]
#[pyo3(signature = (path, row_group, column, most=1000))]
pub(crate) fn column_pages(
    py: Python<'_>,
    path: PathBuf,
    row_group: usize,
    column: &str,
    most: usize,
) -> PyResult<Vec<Page>> {
    let pages = py.detach(|| weigh_digest::column_pages(&path, row_group, column, most)).map_err(raised)?;
    Ok(pages.into_iter().map(Page::from).collect())
}

#[pyfunction]
pub(crate) fn pages_between(py: Python<'_>, path: PathBuf, begin: u64, end: u64) -> PyResult<Vec<Page>> {
    let pages = py.detach(|| weigh_digest::pages_between(&path, begin..end)).map_err(raised)?;
    Ok(pages.into_iter().map(Page::from).collect())
}

/// A page as Python holds it: a file has many.
#[pyclass(module = "weigh._native", frozen, get_all)]
pub(crate) struct Page {
    kind: &'static str,
    version: u8,
    encoding: &'static str,
    values: u64,
    header: u64,
    contents: u64,
    compressed: u64,
    uncompressed: u64,
    levels: u64,
    packed: bool,
    checksum: Option<u32>,
}

impl From<weigh_digest::Page> for Page {
    fn from(page: weigh_digest::Page) -> Self {
        Self {
            kind: match page.kind {
                PageKind::Data => "data",
                PageKind::Dictionary => "dictionary",
                PageKind::Other => "other",
            },
            version: page.version,
            encoding: page.encoding,
            values: page.values,
            header: page.header,
            contents: page.contents,
            compressed: page.compressed,
            uncompressed: page.uncompressed,
            levels: page.levels,
            packed: page.packed,
            checksum: page.checksum,
        }
    }
}

#[pyfunction]
pub(crate) fn parquet_footer(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyDict>> {
    let footer = py.detach(|| weigh_digest::parquet_footer(&path)).map_err(raised)?;
    let dict = PyDict::new(py);
    dict.set_item("version", footer.version)?;
    dict.set_item("keys", footer.keys)?;
    let columns = footer.columns.into_iter().map(|column| {
        let dict = PyDict::new(py);
        dict.set_item(intern!(py, "name"), column.name)?;
        dict.set_item(intern!(py, "required"), column.required)?;
        dict.set_item(intern!(py, "field_id"), column.field_id)?;
        Ok(dict)
    });
    dict.set_item("columns", columns.collect::<PyResult<Vec<_>>>()?)?;
    let groups = footer.groups.into_iter().map(|group| {
        let dict = PyDict::new(py);
        dict.set_item("rows", group.rows)?;
        dict.set_item("order", group.order)?;
        let chunks = group.chunks.iter().map(|one| chunk(py, one));
        dict.set_item("chunks", chunks.collect::<PyResult<Vec<_>>>()?)?;
        Ok(dict)
    });
    dict.set_item("groups", groups.collect::<PyResult<Vec<_>>>()?)?;
    Ok(dict)
}

fn chunk<'py>(py: Python<'py>, chunk: &Chunk) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item(intern!(py, "begin"), chunk.begin)?;
    dict.set_item(intern!(py, "bytes"), chunk.bytes)?;
    dict.set_item(intern!(py, "statistics"), chunk.statistics)?;
    dict.set_item(intern!(py, "page_index"), chunk.page_index)?;
    Ok(dict)
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
