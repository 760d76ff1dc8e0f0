//! weigh-load: the keys of YCSB, for tests of their distributions.

use pyo3::prelude::*;
use weigh_load::workload::ycsb::{Letter, keys};

use crate::load::raised;

#[pyfunction]
pub(crate) fn ycsb_keys(
    py: Python<'_>,
    letter: &str,
    records: u64,
    seed: u64,
    count: usize,
) -> PyResult<Vec<(u64, u64)>> {
    py.detach(|| Letter::named(letter).and_then(|letter| keys(letter, records, seed, count))).map_err(raised)
}
