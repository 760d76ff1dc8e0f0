//! weigh-load: the keys of YCSB, for tests of their distributions.

use pyo3::prelude::*;
use weigh_load::workload::ycsb::{CoreWorkload, keys};

use crate::load::raised;

#[pyfunction]
pub(crate) fn ycsb_keys(
    py: Python<'_>,
    core: &str,
    records: u64,
    seed: u64,
    count: usize,
) -> PyResult<Vec<(u64, u64)>> {
    py.detach(|| CoreWorkload::read(core).and_then(|core| keys(core, records, seed, count))).map_err(raised)
}
