//! weigh-store: the proxy before a store, and the client that puts objects there.

use std::path::PathBuf;

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use weigh_store::{Client, Config, Error, Proxy, Tally, Target};

pyo3::create_exception!(weigh._native, StoreError, PyException);

/// The proxy as Python holds it.
#[pyclass(module = "weigh._native", frozen)]
pub(crate) struct StoreProxy(Proxy);

#[pymethods]
impl StoreProxy {
    #[new]
    fn new(py: Python<'_>, config: &str) -> PyResult<Self> {
        py.detach(|| Ok(Self(Proxy::start(Config::read(config).map_err(raised)?).map_err(raised)?)))
    }

    #[getter]
    fn port(&self) -> u16 {
        self.0.port()
    }

    #[getter]
    fn authority(&self) -> Option<&str> {
        self.0.authority()
    }

    fn admit(&self, access_key: &str, root: &str) {
        self.0.admit(access_key, root);
    }

    fn point(&self, access_key: &str, root: &str) {
        self.0.point(access_key, root);
    }

    fn dismiss(&self, access_key: &str) {
        self.0.dismiss(access_key);
    }

    fn take<'py>(&self, py: Python<'py>, access_key: &str) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.0.take(access_key).map(|tally| told(py, &tally)).transpose()
    }

    fn withdraw(&self, withdrawn: bool) {
        self.0.withdraw(withdrawn);
    }

    fn stop(&self, py: Python<'_>) {
        py.detach(|| self.0.stop());
    }
}

fn told<'py>(py: Python<'py>, tally: &Tally) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("gets", tally.gets)?;
    dict.set_item("heads", tally.heads)?;
    dict.set_item("failed", tally.failed)?;
    dict.set_item("bytes", tally.bytes)?;
    dict.set_item("request_s", tally.request_s)?;
    dict.set_item("busy_s", tally.busy_s)?;
    dict.set_item("peak", tally.peak)?;
    Ok(dict)
}

/// The client as Python holds it.
#[pyclass(module = "weigh._native", frozen)]
pub(crate) struct StoreClient(Client);

#[pymethods]
#[expect(clippy::needless_pass_by_value, reason = "as PyO3 hands it over")]
impl StoreClient {
    #[new]
    fn new(target: &str) -> PyResult<Self> {
        Ok(Self(Client::new(Target::read(target).map_err(raised)?).map_err(raised)?))
    }

    fn check(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.0.check().map_err(raised))
    }

    fn make_bucket(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.0.make_bucket().map_err(raised))
    }

    #[pyo3(signature = (path, key, *, new=false))]
    fn put(&self, py: Python<'_>, path: PathBuf, key: &str, new: bool) -> PyResult<bool> {
        py.detach(|| self.0.put(&path, key, new).map_err(raised))
    }

    fn get(&self, py: Python<'_>, key: &str, path: PathBuf) -> PyResult<bool> {
        py.detach(|| self.0.get(key, &path).map_err(raised))
    }

    fn hash(&self, py: Python<'_>, key: &str) -> PyResult<Option<(u64, String)>> {
        py.detach(|| self.0.hash(key).map_err(raised))
    }

    fn size(&self, py: Python<'_>, key: &str) -> PyResult<Option<u64>> {
        py.detach(|| self.0.size(key).map_err(raised))
    }

    fn remove(&self, py: Python<'_>, key: &str) -> PyResult<()> {
        py.detach(|| self.0.remove(key).map_err(raised))
    }

    fn stat(&self, py: Python<'_>, key: &str) -> PyResult<Option<(u64, String)>> {
        py.detach(|| self.0.stat(key).map_err(raised))
    }
}

/// With the attributes that `_native.pyi` describes.
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn raised(error: Error) -> PyErr {
    Python::attach(|py| {
        let exception = StoreError::new_err(error.to_string());
        let value = exception.value(py);
        let described = value
            .setattr("kind", error.kind())
            .and_then(|()| value.setattr("status", error.status()))
            .and_then(|()| value.setattr("code", error.code()));
        described.map_or_else(|other| other, |()| exception)
    })
}
