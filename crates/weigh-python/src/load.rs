//! weigh-load: offering load to a server, and what its users felt.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use weigh_load::workload::Source;
use weigh_load::{Config, Error, Opened, Run, Stopper, Target};

pyo3::create_exception!(weigh._native, LoadError, PyException);

/// How often signals are looked at while waiting for the end of a run.
const SIGNAL_CHECK: Duration = Duration::from_millis(10);

/// A run of load as Python holds it.
#[pyclass(module = "weigh._native", frozen)]
pub(crate) struct Load {
    config: Config,
    source: Box<dyn Source>,
    opened: Mutex<Option<Opened>>,
    run: Mutex<Option<Run>>,
    stopper: OnceLock<Stopper>,
}

#[pymethods]
impl Load {
    #[new]
    fn new(config: &str) -> PyResult<Self> {
        let config = Config::read(config).map_err(raised)?;
        let source = config.source().map_err(raised)?;
        Ok(Self { config, source, opened: Mutex::new(None), run: Mutex::new(None), stopper: OnceLock::new() })
    }

    #[pyo3(signature = (on_progress = None))]
    #[expect(clippy::needless_pass_by_value, reason = "as PyO3 hands it over")]
    fn load<'py>(&self, py: Python<'py>, on_progress: Option<Py<PyAny>>) -> PyResult<Bound<'py, PyDict>> {
        let mut failed = None;
        let loaded = py.detach(|| {
            weigh_load::load(
                &self.config.target,
                self.source.bulk(self.config.target.kind),
                &mut |done, all| {
                    Python::attach(|py| {
                        let called =
                            on_progress.as_ref().map_or(Ok(()), |call| call.call1(py, (done, all)).map(drop));
                        failed = called.and_then(|()| py.check_signals()).err();
                        failed.is_none()
                    })
                },
            )
        });
        if let Some(failed) = failed {
            return Err(failed);
        }
        let loaded = loaded.map_err(raised)?;
        let dict = PyDict::new(py);
        dict.set_item("rows", loaded.rows)?;
        dict.set_item("seconds", loaded.seconds)?;
        dict.set_item("skipped", loaded.skipped)?;
        Ok(dict)
    }

    fn start(&self, py: Python<'_>) -> PyResult<f64> {
        self.open(py)?;
        self.begin(py, None).map(|(begins_in, _)| begins_in)
    }

    fn open(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| {
            let mut opened = lock(&self.opened);
            if opened.is_some() || self.stopper.get().is_some() {
                return Err(raised(Error::Setting(
                    "this load was started already; make another one".to_owned(),
                )));
            }
            *opened = Some(Opened::open(&self.config, &*self.source).map_err(raised)?);
            Ok(())
        })
    }

    #[pyo3(signature = (at = None))]
    fn begin(&self, py: Python<'_>, at: Option<u64>) -> PyResult<(f64, f64)> {
        py.detach(|| {
            let mut run = lock(&self.run);
            let opened = lock(&self.opened).take();
            let opened =
                opened.ok_or_else(|| raised(Error::Setting("this load has no connections".to_owned())))?;
            let begun = opened.begin(at);
            let _ = self.stopper.set(begun.stopper());
            let (begins_in, late) = (begun.begins_in(), begun.begun_late());
            *run = Some(begun);
            Ok((begins_in, late))
        })
    }

    fn written(&self, py: Python<'_>) -> Option<String> {
        py.detach(|| self.source.written().map(|writes| json(&writes)))
    }

    fn join_written(&self, py: Python<'_>, writes: &str) -> PyResult<()> {
        py.detach(|| {
            let writes = serde_json::from_str(writes)
                .map_err(|error| raised(Error::Setting(format!("what another generator wrote: {error}"))))?;
            self.source.join_written(writes).map_err(raised)
        })
    }

    fn poll(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| Ok(json(&started(lock(&self.run).as_mut())?.poll())))
    }

    fn is_over(&self, py: Python<'_>) -> PyResult<bool> {
        py.detach(|| Ok(started(lock(&self.run).as_mut())?.is_over()))
    }

    fn hold(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| {
            started(lock(&self.run).as_mut())?.hold();
            Ok(())
        })
    }

    fn is_held(&self, py: Python<'_>) -> PyResult<bool> {
        py.detach(|| Ok(started(lock(&self.run).as_mut())?.is_held()))
    }

    fn release(&self, py: Python<'_>, stood_still: f64) -> PyResult<()> {
        py.detach(|| {
            started(lock(&self.run).as_mut())?.release(stood_still);
            Ok(())
        })
    }

    fn answered(&self, py: Python<'_>, patience: f64) -> PyResult<f64> {
        let patience = Duration::try_from_secs_f64(patience)
            .map_err(|_| raised(Error::Setting(format!("a patience of {patience} s"))))?;
        watched(py, |go_on| weigh_load::answered(&self.config.target, patience, go_on))
    }

    fn examine(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let Some(examiner) = py.detach(|| self.source.examiner()) else { return Ok(None) };
        watched(py, |go_on| weigh_load::examine(&self.config.target, examiner, go_on))
            .map(|account| Some(json(&account)))
    }

    fn stop(&self) {
        if let Some(stopper) = self.stopper.get() {
            stopper.stop();
        }
    }

    fn finish(&self, py: Python<'_>) -> PyResult<String> {
        while !self.is_over(py)? {
            py.check_signals()?;
            py.detach(|| std::thread::sleep(SIGNAL_CHECK));
        }
        py.detach(|| Ok(json(&started(lock(&self.run).as_mut())?.finish().map_err(raised)?)))
    }

    fn replayed(&self, py: Python<'_>) -> Option<String> {
        py.detach(|| self.source.replayed().map(|came| json(&came)))
    }

    fn account(&self) -> Option<String> {
        self.source.account().map(|account| account.to_string())
    }

    #[expect(clippy::needless_pass_by_value, reason = "as PyO3 hands it over")]
    fn write_history(&self, py: Python<'_>, path: PathBuf) -> PyResult<bool> {
        py.detach(|| {
            let Some(history) = self.source.history() else { return Ok(false) };
            weigh_isolation::write(&history, &path).map_err(|error| {
                raised(Error::Setting(format!(
                    "the history cannot be written to {}: {error}",
                    path.display()
                )))
            })?;
            Ok(true)
        })
    }

    fn statements(&self) -> String {
        json(&self.source.scripted().map_or_else(Vec::new, |scripted| scripted.script_statements()))
    }

    fn ask(&self, py: Python<'_>, sets: usize) -> PyResult<String> {
        watched(py, |going_on| weigh_load::ask(&self.config, sets, going_on)).map(|found| json(&found))
    }

    fn ask_again(&self, py: Python<'_>) -> PyResult<String> {
        watched(py, |going_on| weigh_load::ask_again(&self.config, &*self.source, going_on))
            .map(|found| json(&found))
    }

    fn read_back(&self, py: Python<'_>, most: usize, seconds: f64) -> PyResult<String> {
        watched(py, |going_on| weigh_load::read_back(&self.config, &*self.source, most, seconds, going_on))
            .map(|found| json(&found))
    }
}

/// Work without the interpreter that a signal ends.
fn watched<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&mut dyn FnMut() -> bool) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let mut signal = None;
    let done = py.detach(|| {
        work(&mut || {
            Python::attach(|py| signal = py.check_signals().err());
            signal.is_none()
        })
    });
    if let Some(signal) = signal {
        return Err(signal);
    }
    done.map_err(raised)
}

/// One interval of several generators as one, all in JSON.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "as PyO3 hands it over")]
pub(crate) fn merge_intervals(py: Python<'_>, intervals: Vec<String>) -> PyResult<String> {
    py.detach(|| weigh_load::merge_intervals(&intervals).map_err(raised))
}

/// The journals of the generators of one load merged; returns the parts of each generator, as JSON.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "as PyO3 hands it over")]
pub(crate) fn merge_journals(
    py: Python<'_>,
    journals: Vec<PathBuf>,
    run: u64,
    each: usize,
    take: Py<PyAny>,
) -> PyResult<String> {
    let mut failed = None;
    let merged = py.detach(|| {
        weigh_load::merge_journals(&journals, run, each, &mut |intervals| {
            Python::attach(|py| {
                let called = take.call1(py, (intervals,)).map(drop);
                failed = called.and_then(|()| py.check_signals()).err();
                failed.is_none()
            })
        })
    });
    if let Some(failed) = failed {
        return Err(failed);
    }
    merged.map(|parts| json(&parts)).map_err(raised)
}

/// What an SQLite database says of itself, as JSON. `target` is the one of a load, as JSON.
#[pyfunction]
pub(crate) fn describe_sqlite(py: Python<'_>, target: &str) -> PyResult<String> {
    py.detach(|| {
        let target: Target =
            serde_json::from_str(target).map_err(|error| raised(Error::Setting(error.to_string())))?;
        Ok(json(&weigh_load::describe_sqlite(&target).map_err(raised)?))
    })
}

fn started(run: Option<&mut Run>) -> PyResult<&mut Run> {
    run.ok_or_else(|| raised(Error::Setting("this load was not started".to_owned())))
}

fn json(report: &impl serde::Serialize) -> String {
    // Text, numbers and lists of them: nothing that JSON could not hold.
    serde_json::to_string(report).unwrap_or_default()
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
pub(crate) fn raised(error: Error) -> PyErr {
    Python::attach(|py| {
        let exception = LoadError::new_err(error.to_string());
        described(exception.value(py), &error).map_or_else(|other| other, |()| exception)
    })
}

/// Sets the attributes that `_native.pyi` describes. (To subclass an exception takes more than the stable ABI of Python
/// 3.11 has.)
fn described(exception: &Bound<'_, PyAny>, error: &Error) -> PyResult<()> {
    let at = error.script_line();
    exception.setattr("kind", error.kind())?;
    exception.setattr("code", error.code())?;
    exception.setattr("message", error.message())?;
    exception.setattr("statement", error.statement())?;
    exception.setattr("script", at.map(|at| at.script.as_str()))?;
    exception.setattr("line", at.map(|at| at.line))?;
    exception.setattr("column", error.column())?;
    exception.setattr("remedy", error.remedy())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
