//! What several generators that offer one load together have seen, as one: interval by interval, histograms summed
//! bucket by bucket. No percentile is merged.
//!
//! Each generator keeps a journal, one line of JSON for an event. All are read side by side, so that memory is that of a
//! few intervals of each, however long the load was.

mod histogram;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::thread;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Error;
use histogram::{Decoder, Filled, Sums};

/// Wrong answers that are kept of one interval; all are counted.
const SHOWN_WRONG: usize = 20;
/// How the line of an interval begins.
const INTERVAL: &str = "{\"event\":\"interval\"";

/// One operation in one interval of a generator, as [`crate::OperationReport`] writes it and a journal keeps it.
#[derive(Debug, Deserialize)]
struct Operation<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    count: u64,
    #[serde(default)]
    errors: BTreeMap<String, u64>,
    #[serde(default)]
    timeouts: u64,
    #[serde(default)]
    wrong: Vec<Value>,
    #[serde(default)]
    wrong_count: Option<u64>,
    #[serde(default)]
    missing: u64,
    #[serde(default)]
    overflows: u64,
    #[serde(borrow)]
    response: Cow<'a, str>,
    #[serde(borrow)]
    service: Cow<'a, str>,
    #[serde(borrow)]
    lag_free: Cow<'a, str>,
    #[serde(borrow)]
    lag_late: Cow<'a, str>,
    #[serde(borrow, default)]
    failed: Cow<'a, str>,
}

impl Operation<'_> {
    fn histograms(&self) -> [&str; KINDS] {
        [&self.response, &self.service, &self.lag_free, &self.lag_late, &self.failed]
    }
}

/// Histograms of an operation; the first and the fourth are those of [`Part`].
const KINDS: usize = 5;
const RESPONSE: usize = 0;
const LATE: usize = 3;

#[derive(Debug, Deserialize)]
struct Interval<'a> {
    from_s: f64,
    to_s: f64,
    #[serde(borrow)]
    operations: Vec<Operation<'a>>,
    #[serde(default)]
    in_flight: u64,
    #[serde(default)]
    queued: u64,
    #[serde(default)]
    client_cpu_s: f64,
    #[serde(default)]
    client_wait_s: f64,
    #[serde(default)]
    reconnects: u64,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    body: Body<'a>,
}

#[derive(Deserialize)]
struct Body<'a> {
    run: u64,
    #[serde(borrow)]
    interval: Interval<'a>,
}

/// One operation of all generators.
#[derive(Debug, Serialize)]
struct Merged {
    name: String,
    count: u64,
    errors: BTreeMap<String, u64>,
    timeouts: u64,
    wrong: Vec<Value>,
    wrong_count: u64,
    missing: u64,
    overflows: u64,
    response: String,
    service: String,
    lag_free: String,
    lag_late: String,
    failed: String,
}

/// One interval of all generators.
#[derive(Debug, Serialize)]
struct MergedInterval {
    from_s: f64,
    to_s: f64,
    operations: Vec<Merged>,
    in_flight: u64,
    queued: u64,
    client_cpu_s: f64,
    client_wait_s: f64,
    reconnects: u64,
}

/// What one generator saw in some intervals that follow each other, all operations together. Times are seconds of the run.
#[derive(Debug, Serialize)]
pub struct Part {
    from_s: f64,
    to_s: f64,
    /// Answered.
    count: u64,
    /// Errors and time-outs.
    failed: u64,
    client_cpu_s: f64,
    /// In which its threads wanted a processor and had none.
    client_wait_s: f64,
    /// Of its intervals, the most that waited at an end of one.
    queued: u64,
    response: String,
    lag_late: String,
}

/// An interval with its histograms unpacked.
struct Unpacked<'a> {
    interval: Interval<'a>,
    /// Of all its histograms, one behind the other: an allocation for each took an eighth of the whole.
    filled: Vec<Filled>,
    /// Where each begins, operation by operation, and the last one ends.
    bounds: Vec<usize>,
}

/// Some intervals of one generator, and the part that they make.
type OfGenerator<'a> = (Vec<Unpacked<'a>>, Option<Part>);

impl<'a> Unpacked<'a> {
    fn of(interval: Interval<'a>, decoder: &mut Decoder) -> Result<Self, Error> {
        let (mut filled, mut bounds) = (Vec::with_capacity(1024), vec![0]);
        for text in interval.operations.iter().flat_map(Operation::histograms) {
            decoder.decode(text, &mut filled)?;
            bounds.push(filled.len());
        }
        Ok(Self { interval, filled, bounds })
    }

    fn histogram(&self, operation: usize, kind: usize) -> &[Filled] {
        let at = operation * KINDS + kind;
        &self.filled[self.bounds[at]..self.bounds[at + 1]]
    }
}

/// One interval of several generators as one, all in JSON. Those that have ended are left out.
///
/// # Errors
///
/// [`Error::Setting`]: one is no interval, or a histogram is damaged or of another form than the others.
pub fn merge_intervals(intervals: &[String]) -> Result<String, Error> {
    let mut decoder = Decoder::new();
    let mut unpacked = Vec::with_capacity(intervals.len());
    for text in intervals {
        let interval = serde_json::from_str(text).map_err(|error| damaged(&error))?;
        unpacked.push(Unpacked::of(interval, &mut decoder)?);
    }
    let all: Vec<&Unpacked<'_>> = unpacked.iter().collect();
    json(&merged(&all, &mut Sums::new())?)
}

fn merged(all: &[&Unpacked<'_>], sums: &mut Sums) -> Result<MergedInterval, Error> {
    let Some(first) = all.first() else { return Err(Error::Setting("no interval to be merged".into())) };
    let mut whole = MergedInterval {
        from_s: first.interval.from_s,
        to_s: first.interval.to_s,
        operations: Vec::new(),
        in_flight: 0,
        queued: 0,
        client_cpu_s: 0.0,
        client_wait_s: 0.0,
        reconnects: 0,
    };
    for one in all {
        let interval = &one.interval;
        whole.to_s = whole.to_s.max(interval.to_s);
        whole.in_flight += interval.in_flight;
        whole.queued += interval.queued;
        whole.client_cpu_s += interval.client_cpu_s;
        whole.client_wait_s += interval.client_wait_s;
        whole.reconnects += interval.reconnects;
        let same = interval.operations.iter().zip(&first.interval.operations);
        if interval.operations.len() != first.interval.operations.len()
            || same.into_iter().any(|(own, other)| own.name != other.name)
        {
            return Err(Error::Setting("two generators of one load have other operations".into()));
        }
    }
    for (place, operation) in first.interval.operations.iter().enumerate() {
        whole.operations.push(merged_operation(&operation.name, place, all, sums)?);
    }
    Ok(whole)
}

fn merged_operation(
    name: &str,
    place: usize,
    all: &[&Unpacked<'_>],
    sums: &mut Sums,
) -> Result<Merged, Error> {
    let mut texts: [String; KINDS] = Default::default();
    for (kind, text) in texts.iter_mut().enumerate() {
        for one in all {
            sums.add(one.histogram(place, kind))?;
        }
        *text = sums.take();
    }
    let [response, service, lag_free, lag_late, failed] = texts;
    let mut whole = Merged {
        name: name.to_owned(),
        count: 0,
        errors: BTreeMap::new(),
        timeouts: 0,
        wrong: Vec::new(),
        wrong_count: 0,
        missing: 0,
        overflows: 0,
        response,
        service,
        lag_free,
        lag_late,
        failed,
    };
    for one in all {
        let own = &one.interval.operations[place];
        whole.count += own.count;
        whole.timeouts += own.timeouts;
        whole.wrong_count += own.wrong_count.unwrap_or(own.wrong.len() as u64);
        whole.missing += own.missing;
        whole.overflows += own.overflows;
        let room = SHOWN_WRONG.saturating_sub(whole.wrong.len());
        whole.wrong.extend(own.wrong.iter().take(room).cloned());
        for (text, times) in &own.errors {
            *whole.errors.entry(text.clone()).or_default() += times;
        }
    }
    Ok(whole)
}

/// Merges the journals of the generators of one load.
///
/// # Arguments
///
/// * `journals`: one of each.
/// * `run`: the number of the run whose intervals are merged.
/// * `each`: intervals of a [`Part`].
/// * `take`: gets merged intervals in JSON, in order, some at a time, and returns whether to go on.
///
/// Returns the parts of each generator.
///
/// # Errors
///
/// [`Error::Setting`]: a journal cannot be read, or something in it is no interval; [`Error::Interrupted`].
pub fn merge_journals<P: AsRef<Path>>(
    journals: &[P],
    run: u64,
    each: usize,
    take: &mut dyn FnMut(Vec<String>) -> bool,
) -> Result<Vec<Vec<Part>>, Error> {
    let mut readers = Vec::with_capacity(journals.len());
    for path in journals {
        let path = path.as_ref();
        let file =
            File::open(path).map_err(|error| Error::Setting(format!("{}: {error}", path.display())))?;
        readers.push(BufReader::with_capacity(1 << 18, file));
    }
    let workers = thread::available_parallelism().map_or(1, usize::from).min(journals.len().max(1));
    let mut parts: Vec<Vec<Part>> = journals.iter().map(|_| Vec::new()).collect();
    let mut lines: Vec<Vec<String>> = vec![Vec::new(); readers.len()];
    loop {
        let share = lines.len().div_ceil(workers).max(1);
        let unpacked = thread::scope(|scope| {
            let working: Vec<_> = readers
                .chunks_mut(share)
                .zip(lines.chunks_mut(share))
                .map(|(some, lines)| {
                    scope.spawn(move || {
                        for (reader, lines) in some.iter_mut().zip(&mut *lines) {
                            next_intervals(reader, run, each.max(1), lines)?;
                        }
                        unpack(lines)
                    })
                })
                .collect();
            working
                .into_iter()
                .map(|worker| worker.join().unwrap_or_else(|_| Err(gone())))
                .collect::<Result<Vec<_>, _>>()
        })?;
        let unpacked: Vec<OfGenerator<'_>> = unpacked.into_iter().flatten().collect();
        let most = unpacked.iter().map(|(own, _)| own.len()).max().unwrap_or(0);
        if most == 0 {
            return Ok(parts);
        }
        let share = most.div_ceil(workers);
        let columns: Vec<Vec<&Unpacked<'_>>> =
            (0..most).map(|place| unpacked.iter().filter_map(|(own, _)| own.get(place)).collect()).collect();
        let texts = thread::scope(|scope| {
            let working: Vec<_> = columns
                .chunks(share)
                .map(|some| {
                    scope.spawn(move || {
                        let mut sums = Sums::new();
                        some.iter()
                            .map(|all| json(&merged(all, &mut sums)?))
                            .collect::<Result<Vec<_>, Error>>()
                    })
                })
                .collect();
            working
                .into_iter()
                .map(|worker| worker.join().unwrap_or_else(|_| Err(gone())))
                .collect::<Result<Vec<_>, _>>()
        })?;
        for (own, (_, part)) in parts.iter_mut().zip(unpacked) {
            own.extend(part);
        }
        if !take(texts.into_iter().flatten().collect()) {
            return Err(Error::Interrupted);
        }
    }
}

/// The next lines with intervals of a run, in the place of those before: to make new ones costs the kernel fresh memory.
fn next_intervals(
    reader: &mut BufReader<File>,
    run: u64,
    most: usize,
    lines: &mut Vec<String>,
) -> Result<(), Error> {
    let wanted = format!("\"run\":{run},");
    let mut found = 0;
    while found < most {
        if found == lines.len() {
            lines.push(String::new());
        }
        let line = &mut lines[found];
        line.clear();
        let read = reader.read_line(line).map_err(|error| Error::Setting(format!("a journal: {error}")))?;
        if read == 0 {
            break;
        }
        // The number of the run comes first in the body.
        found += usize::from(
            line.starts_with(INTERVAL)
                && line
                    .as_bytes()
                    .get(..80.min(line.len()))
                    .is_some_and(|head| head.windows(wanted.len()).any(|part| part == wanted.as_bytes())),
        );
    }
    lines.truncate(found);
    Ok(())
}

/// Of some generators, their lines unpacked, and the part that these make.
fn unpack(lines: &[Vec<String>]) -> Result<Vec<OfGenerator<'_>>, Error> {
    let mut decoder = Decoder::new();
    let mut sums = Sums::new();
    lines
        .iter()
        .map(|own| {
            let mut unpacked = Vec::with_capacity(own.len());
            for text in own {
                let line: Line<'_> = serde_json::from_str(text).map_err(|error| damaged(&error))?;
                let _ = line.body.run;
                unpacked.push(Unpacked::of(line.body.interval, &mut decoder)?);
            }
            let part = part(&unpacked, &mut sums)?;
            Ok((unpacked, part))
        })
        .collect()
}

fn part(all: &[Unpacked<'_>], sums: &mut Sums) -> Result<Option<Part>, Error> {
    let (Some(first), Some(last)) = (all.first(), all.last()) else { return Ok(None) };
    let operations = || all.iter().flat_map(|one| &one.interval.operations);
    let mut kind = |kind: usize| -> Result<String, Error> {
        for one in all {
            for operation in 0..one.interval.operations.len() {
                sums.add(one.histogram(operation, kind))?;
            }
        }
        Ok(sums.take())
    };
    Ok(Some(Part {
        from_s: first.interval.from_s,
        to_s: last.interval.to_s,
        count: operations().map(|one| one.count).sum(),
        failed: operations().map(|one| one.errors.values().sum::<u64>() + one.timeouts).sum(),
        client_cpu_s: all.iter().map(|one| one.interval.client_cpu_s).sum(),
        client_wait_s: all.iter().map(|one| one.interval.client_wait_s).sum(),
        queued: all.iter().map(|one| one.interval.queued).max().unwrap_or(0),
        response: kind(RESPONSE)?,
        lag_late: kind(LATE)?,
    }))
}

fn json(value: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|error| damaged(&error))
}

fn damaged(error: &serde_json::Error) -> Error {
    Error::Setting(format!("an interval is damaged: {error}"))
}

fn gone() -> Error {
    Error::Setting("a thread that merges ended early".into())
}
