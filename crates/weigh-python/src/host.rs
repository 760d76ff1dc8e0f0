//! weigh-host: the sampler, page residency, calibration kernels.
#![expect(
    clippy::needless_pass_by_value,
    reason = "what Python passes is converted, and belongs to the function"
)]

use std::path::PathBuf;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use weigh_host::{DiskUse, Drained, Error, Slow, Tick};

pyo3::create_exception!(
    weigh._native,
    HostError,
    PyOSError,
    "Something of the machine cannot be read or done."
);

fn raised(error: Error) -> PyErr {
    HostError::new_err(error.to_string())
}

/// The sampler as Python holds it.
#[pyclass(module = "weigh._native", frozen)]
pub(crate) struct Sampler(weigh_host::Sampler);

#[pymethods]
impl Sampler {
    #[new]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "seconds since boot, not below 0"
    )]
    fn new(py: Python<'_>, hz: f64, began_monotonic: f64) -> PyResult<Self> {
        py.detach(|| weigh_host::Sampler::start(hz, (began_monotonic * 1e9) as u64)).map(Self).map_err(raised)
    }

    fn track(&self, py: Python<'_>, pid: i32) -> PyResult<()> {
        py.detach(|| self.0.track(pid)).map_err(raised)
    }

    fn mark(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.0.mark()).map_err(raised)
    }

    #[pyo3(signature = (thorough=false))]
    fn drain<'py>(&self, py: Python<'py>, thorough: bool) -> PyResult<Bound<'py, PyDict>> {
        let drained = py.detach(|| self.0.drain(thorough)).map_err(raised)?;
        columns(py, &drained)
    }

    fn stop(&self, py: Python<'_>) {
        py.detach(|| self.0.stop());
    }
}

#[pyfunction]
pub(crate) fn resident(py: Python<'_>, path: PathBuf) -> PyResult<(u64, u64, &'static str)> {
    let found = py.detach(|| weigh_host::resident(&path)).map_err(raised)?;
    Ok((found.resident, found.pages, found.how.name()))
}

#[pyfunction]
pub(crate) fn evict(py: Python<'_>, path: PathBuf) -> PyResult<()> {
    py.detach(|| weigh_host::evict(&path)).map_err(raised)
}

#[pyfunction]
pub(crate) fn calibrate_integer(py: Python<'_>) -> f64 {
    py.detach(weigh_host::calibrate_integer)
}

#[pyfunction]
pub(crate) fn calibrate_memory(py: Python<'_>) -> f64 {
    py.detach(weigh_host::calibrate_memory)
}

#[pyfunction]
pub(crate) fn calibrate_disk(py: Python<'_>, folder: PathBuf) -> PyResult<f64> {
    py.detach(|| weigh_host::calibrate_disk(&folder)).map_err(raised)
}

/// Nanoseconds in the units of a column.
const TENTH_OF_A_MILLISECOND: u64 = 100_000;
const TEN_MICROSECONDS: u64 = 10_000;
const TEN_MILLISECONDS: u64 = 10_000_000;

fn rounded(nanoseconds: u64, unit: u64) -> u64 {
    (nanoseconds + unit / 2) / unit
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small numbers, not below 0")]
fn scaled(number: f64, scale: f64) -> u64 {
    (number * scale).round() as u64
}

/// What was drained as columns of whole numbers, whose units `_native.pyi` says.
fn columns<'py>(py: Python<'py>, drained: &Drained) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let ticks = &drained.ticks;
    let edge = |at: u64| at / TENTH_OF_A_MILLISECOND;
    dict.set_item("at", ticks.first().map(|tick| edge(tick.at)))?;
    // From edge to edge, so that they add up.
    let span = |tick: &Tick| edge(tick.at + tick.span) - edge(tick.at);
    dict.set_item("span", ticks.iter().map(span).collect::<Vec<_>>())?;
    let time = |unit: u64, take: fn(&Tick) -> Option<u64>| {
        ticks.iter().map(|tick| take(tick).map(|time| rounded(time, unit))).collect::<Vec<_>>()
    };
    dict.set_item("busy", time(TEN_MILLISECONDS, |tick| tick.busy))?;
    dict.set_item("own", time(TEN_MICROSECONDS, |tick| tick.own))?;
    dict.set_item("foreign", time(TEN_MICROSECONDS, |tick| tick.foreign))?;
    dict.set_item("steal", time(TEN_MILLISECONDS, |tick| tick.steal))?;
    for (which, name) in ["pressure_cpu", "pressure_memory", "pressure_io"].iter().enumerate() {
        let share = |tick: &Tick| tick.pressure[which].map(|share| scaled(share, 1e3));
        dict.set_item(name, ticks.iter().map(share).collect::<Vec<_>>())?;
    }
    dict.set_item("queue", ticks.iter().map(|tick| tick.queue).collect::<Vec<_>>())?;
    dict.set_item("context_switches", ticks.iter().map(|tick| tick.switches).collect::<Vec<_>>())?;
    dict.set_item("disk", disks(py, ticks)?)?;
    dict.set_item("slow", slow(py, ticks)?)?;
    let foreign_process =
        |one: &weigh_host::ForeignProcess| (one.pid, one.name.clone(), rounded(one.cpu, TEN_MICROSECONDS));
    dict.set_item("culprits", drained.foreign_processes.iter().map(foreign_process).collect::<Vec<_>>())?;
    dict.set_item("cost", rounded(drained.cost, 1000))?;
    dict.set_item("unreadable", &drained.unreadable)?;
    Ok(dict)
}

/// The columns of each device; `None` where the devices cannot be read.
fn disks<'py>(py: Python<'py>, ticks: &[Tick]) -> PyResult<Option<Bound<'py, PyDict>>> {
    if ticks.iter().all(|tick| tick.disks.is_none()) {
        return Ok(None);
    }
    let dict = PyDict::new(py);
    let mut names: Vec<&String> =
        ticks.iter().flat_map(|tick| tick.disks.iter().flatten()).map(|one| &one.name).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let of = |tick: &Tick, take: fn(&DiskUse) -> Option<u64>| {
            tick.disks.iter().flatten().find(|one| one.name == *name).and_then(take)
        };
        let column = |take| ticks.iter().map(|tick| of(tick, take)).collect::<Vec<Option<u64>>>();
        let device = PyDict::new(py);
        device.set_item("read", column(|one| Some(one.read)))?;
        device.set_item("written", column(|one| Some(one.written)))?;
        device.set_item("queue", column(|one| Some(scaled(one.queue, 1e2))))?;
        device.set_item("wait", column(|one| one.await_s.map(|seconds| scaled(seconds, 1e5))))?;
        device.set_item("utilisation", column(|one| Some(scaled(one.utilisation, 1e3))))?;
        dict.set_item(name, device)?;
    }
    Ok(Some(dict))
}

/// What is read less often and is one number: the name of its column.
type Number = (&'static str, fn(&Slow) -> Option<u64>);

const NUMBERS: [Number; 18] = [
    ("received", |slow| Some(slow.network?.received)),
    ("sent", |slow| Some(slow.network?.sent)),
    ("retransmits", |slow| slow.network?.retransmits),
    ("drops", |slow| Some(slow.network?.drops)),
    ("errors", |slow| Some(slow.network?.errors)),
    ("overflows", |slow| slow.network?.overflows),
    ("link", |slow| Some(scaled(slow.network?.link?, 1e3))),
    ("memory_free", |slow| Some(slow.memory.free? >> 10)),
    ("cached", |slow| Some(slow.memory.cached? >> 10)),
    ("dirty", |slow| Some(slow.memory.dirty? >> 10)),
    ("swap_used", |slow| Some(slow.memory.swap_used? >> 10)),
    ("swapped", |slow| slow.faults.swapped),
    ("major_faults", |slow| slow.faults.major),
    ("oom_kills", |slow| slow.faults.oom_kills),
    ("throttled", |slow| Some(rounded(slow.throttled?, TENTH_OF_A_MILLISECOND))),
    ("group_memory", |slow| Some(slow.group_memory? >> 10)),
    ("memory_errors", |slow| slow.memory_errors),
    ("cpu_throttles", |slow| slow.cpu_throttles),
];

/// The columns of what is read less often, and at which ticks it was.
fn slow<'py>(py: Python<'py>, ticks: &[Tick]) -> PyResult<Bound<'py, PyDict>> {
    let read: Vec<(usize, &Slow)> =
        ticks.iter().enumerate().filter_map(|(at, tick)| Some((at, &**tick.slow.as_ref()?))).collect();
    let dict = PyDict::new(py);
    dict.set_item("when", read.iter().map(|(at, _)| *at).collect::<Vec<_>>())?;
    let cpus =
        |slow: &Slow| Some(slow.cpus.as_ref()?.iter().map(|share| scaled(*share, 1e2)).collect::<Vec<_>>());
    dict.set_item("cpus", read.iter().map(|(_, slow)| cpus(slow)).collect::<Vec<_>>())?;
    let mhz = |slow: &Slow| Some(slow.mhz.as_ref()?.iter().map(|mhz| scaled(*mhz, 1.0)).collect::<Vec<_>>());
    dict.set_item("mhz", read.iter().map(|(_, slow)| mhz(slow)).collect::<Vec<_>>())?;
    dict.set_item("disk_errors", read.iter().map(|(_, slow)| errors(slow)).collect::<Vec<_>>())?;
    for (name, take) in NUMBERS {
        dict.set_item(name, read.iter().map(|(_, slow)| take(slow)).collect::<Vec<_>>())?;
    }
    Ok(dict)
}

fn errors(slow: &Slow) -> Option<std::collections::BTreeMap<String, u64>> {
    slow.disk_errors.as_ref().map(|found| found.iter().cloned().collect())
}
