//! weigh-isolation: what a history shows.

use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// What the history in a file shows, as JSON.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "as PyO3 hands it over")]
pub(crate) fn check_history(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    py.detach(|| {
        let report = weigh_isolation::read(&path).and_then(|history| weigh_isolation::check(&history));
        let report = report.map_err(|error| PyValueError::new_err(error.to_string()))?;
        serde_json::to_string(&report).map_err(|error| PyValueError::new_err(error.to_string()))
    })
}
