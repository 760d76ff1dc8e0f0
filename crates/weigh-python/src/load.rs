//! weigh-load: offering load to a server, and what its users felt.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use weigh_load::workload::Source;
use weigh_load::{Config, Run, Stopper, Target};

pyo3::create_exception!(_native, LoadError, PyException);

/// How often signals are looked at while waiting for the end of a run.
const GLANCE: Duration = Duration::from_millis(10);

/// A run of load as Python holds it.
#[pyclass(module = "weigh._native", frozen)]
pub(crate) struct Load {
    config: Config,
    source: Box<dyn Source>,
    run: Mutex<Option<Run>>,
    stopper: OnceLock<Stopper>,
}

#[pymethods]
impl Load {
    #[new]
    fn new(config: &str) -> PyResult<Self> {
        let config = Config::read(config).map_err(refused)?;
        let source = config.source().map_err(refused)?;
        Ok(Self { config, source, run: Mutex::new(None), stopper: OnceLock::new() })
    }

    #[pyo3(signature = (on_progress = None))]
    #[expect(clippy::needless_pass_by_value, reason = "as PyO3 hands it over")]
    fn load<'py>(&self, py: Python<'py>, on_progress: Option<Py<PyAny>>) -> PyResult<Bound<'py, PyDict>> {
        let mut raised = None;
        let loaded = py.detach(|| {
            weigh_load::load(
                &self.config.target,
                self.source.bulk(self.config.target.kind),
                &mut |done, all| {
                    Python::attach(|py| {
                        let told =
                            on_progress.as_ref().map_or(Ok(()), |told| told.call1(py, (done, all)).map(drop));
                        raised = told.and_then(|()| py.check_signals()).err();
                        raised.is_none()
                    })
                },
            )
        });
        if let Some(raised) = raised {
            return Err(raised);
        }
        let loaded = loaded.map_err(refused)?;
        let told = PyDict::new(py);
        told.set_item("rows", loaded.rows)?;
        told.set_item("seconds", loaded.seconds)?;
        Ok(told)
    }

    fn start(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| {
            let mut run = hold(&self.run);
            if self.stopper.get().is_some() {
                return Err(LoadError::new_err("this load was started already; make another one"));
            }
            let begun = Run::start(&self.config, &*self.source).map_err(refused)?;
            let _ = self.stopper.set(begun.stopper());
            *run = Some(begun);
            Ok(())
        })
    }

    fn poll(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| Ok(json(&started(hold(&self.run).as_mut())?.poll())))
    }

    fn is_over(&self, py: Python<'_>) -> PyResult<bool> {
        py.detach(|| Ok(started(hold(&self.run).as_mut())?.is_over()))
    }

    fn stop(&self) {
        if let Some(stopper) = self.stopper.get() {
            stopper.stop();
        }
    }

    fn finish(&self, py: Python<'_>) -> PyResult<String> {
        while !self.is_over(py)? {
            py.check_signals()?;
            py.detach(|| std::thread::sleep(GLANCE));
        }
        py.detach(|| Ok(json(&started(hold(&self.run).as_mut())?.finish().map_err(refused)?)))
    }
}

/// What an SQLite database says of itself, as JSON. `target` is the one of a load, as JSON.
#[pyfunction]
pub(crate) fn describe_sqlite(py: Python<'_>, target: &str) -> PyResult<String> {
    py.detach(|| {
        let target: Target =
            serde_json::from_str(target).map_err(|error| LoadError::new_err(error.to_string()))?;
        Ok(json(&weigh_load::describe_sqlite(&target).map_err(refused)?))
    })
}

fn started(run: Option<&mut Run>) -> PyResult<&mut Run> {
    run.ok_or_else(|| LoadError::new_err("this load was not started"))
}

fn json(report: &impl serde::Serialize) -> String {
    // Text, numbers and lists of them: nothing that JSON could not hold.
    serde_json::to_string(report).unwrap_or_default()
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn refused(error: weigh_load::Error) -> PyErr {
    LoadError::new_err(error.to_string())
}

fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
