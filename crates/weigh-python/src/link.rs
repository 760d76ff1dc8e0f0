//! What happens to a server beside its load: its link is cut, a statement is executed.

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use pyo3::prelude::*;
use weigh_load::{Error, Link, Place, Target};

use crate::load::raised;

/// A link as Python holds it.
#[pyclass(module = "weigh._native", frozen)]
pub(crate) struct LoadLink(Mutex<Option<Link>>);

#[pymethods]
impl LoadLink {
    #[new]
    fn new(py: Python<'_>, target: &str, folder: &str) -> PyResult<Self> {
        let target = read(target)?;
        py.detach(|| Ok(Self(Mutex::new(Some(Link::open(&target, Path::new(folder)).map_err(raised)?)))))
    }

    #[getter]
    fn port(&self) -> Option<u16> {
        self.with(|link| match link.place() {
            Place::Port(port) => Some(*port),
            Place::Path(_) => None,
        })
    }

    #[getter]
    fn path(&self) -> Option<String> {
        self.with(|link| match link.place() {
            Place::Port(_) => None,
            Place::Path(path) => Some(path.to_string_lossy().into_owned()),
        })
    }

    fn cut(&self, cut: bool) {
        self.with(|link| {
            link.cut(cut);
            None::<()>
        });
    }

    fn delay(&self, seconds: f64) {
        self.with(|link| {
            link.delay(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::ZERO));
            None::<()>
        });
    }

    fn close(&self, py: Python<'_>) {
        py.detach(|| drop(self.0.lock().map(|mut link| link.take())));
    }
}

impl LoadLink {
    fn with<T>(&self, what: impl FnOnce(&Link) -> Option<T>) -> Option<T> {
        self.0.lock().ok().and_then(|link| link.as_ref().and_then(what))
    }
}

/// Executes a statement on a connection of its own.
#[pyfunction]
pub(crate) fn execute(py: Python<'_>, target: &str, statement: &str) -> PyResult<()> {
    let target = read(target)?;
    py.detach(|| weigh_load::execute(&target, statement)).map_err(raised)
}

fn read(target: &str) -> PyResult<Target> {
    serde_json::from_str(target).map_err(|error| raised(Error::Setting(error.to_string())))
}
