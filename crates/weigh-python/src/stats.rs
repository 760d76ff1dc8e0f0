//! weigh-stats: batch means and histograms.

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, RecordBatch};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use weigh_stats::Moments;

use crate::arrow_stream;

/// Batch means as Python holds them.
#[pyclass(module = "weigh._native")]
#[derive(Default)]
pub(crate) struct BatchMeans(weigh_stats::BatchMeans);

#[pymethods]
impl BatchMeans {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    fn push(&mut self, stream: &Bound<'_, PyAny>) -> PyResult<()> {
        let reader = arrow_stream::open(stream)?;
        let means = &mut self.0;
        let pushed = stream.py().detach(|| {
            let mut longer = means.clone();
            for batch in reader.map_err(|error| error.to_string())? {
                take(&mut longer, &batch.map_err(|error| error.to_string())?)?;
            }
            *means = longer;
            Ok::<(), String>(())
        });
        pushed.map_err(PyValueError::new_err)
    }

    fn merge(&mut self, py: Python<'_>, later: &Self) {
        py.detach(|| self.0.merge(&later.0));
    }

    #[getter]
    fn count(&self) -> u64 {
        self.0.count()
    }

    fn moments(&self, py: Python<'_>) -> Vec<Described> {
        py.detach(|| self.0.moments())
            .iter()
            .enumerate()
            .map(|(level, moments)| described(level, moments))
            .collect()
    }

    fn batches(&self, py: Python<'_>, most: usize) -> (u64, Vec<f64>) {
        let batches = py.detach(|| self.0.batches(most));
        (batches.size, batches.means)
    }
}

/// Samples a batch, batches, their mean, variance and skewness, and the correlation of neighbours.
type Described = (u64, u64, f64, Option<f64>, Option<f64>, Option<f64>);

fn described(level: usize, moments: &Moments) -> Described {
    (1 << level, moments.batches, moments.mean, moments.variance(), moments.skewness(), moments.correlation())
}

/// Adds the samples of a batch of one column of 64-bit floats.
fn take(means: &mut weigh_stats::BatchMeans, batch: &RecordBatch) -> Result<(), String> {
    let [column] = batch.columns() else {
        return Err(format!("{} columns where one is needed", batch.num_columns()));
    };
    let Some(samples) = column.as_primitive_opt::<Float64Type>() else {
        return Err(format!("samples of type {}, not 64-bit floats", column.data_type()));
    };
    if samples.null_count() > 0 {
        return Err("some samples are null".to_owned());
    }
    means.push(samples.values()).map_err(|error| error.to_string())
}

/// The largest value, the middle and the count of each bucket, as little-endian words of 64 bits.
type Columns<'py> = [Bound<'py, PyBytes>; 3];

#[pyfunction]
pub(crate) fn decode_histogram<'py>(py: Python<'py>, packed: &[u8]) -> PyResult<Columns<'py>> {
    let buckets = py.detach(|| weigh_stats::decode_histogram(packed)).map_err(PyValueError::new_err)?;
    let words = |values: &[u64]| {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        PyBytes::new(py, &bytes)
    };
    Ok([words(&buckets.tops), words(&buckets.middles), words(&buckets.counts)])
}
