//! From a history to what it shows.

use std::collections::BTreeMap;

use crate::cycle::example;
use crate::error::Error;
use crate::graph::{Graph, number};
use crate::history::{History, Operation, Outcome};
use crate::lists;
use crate::observed::{EXAMPLES, Observed};
use crate::registers;
use crate::report::{Edges, Report, StepKind};
use crate::search::{cycles, name};
use crate::view::{Steps, View};

/// Pairs of one name of which each transaction has at most so many that are counted.
const PAIRS: usize = 1_000;

/// Checks a history. The same history gets the same report.
///
/// # Errors
///
/// An element was written twice, so that nobody can tell whose it is.
pub fn check(history: &History) -> Result<Report, Error> {
    let mut observed = Observed::new(history)?;
    lists::observe(&mut observed);
    registers::observe(&mut observed);
    let all = history.transactions();
    let present: Vec<bool> = all
        .iter()
        .zip(&observed.seen)
        .map(|(one, seen)| match one.outcome {
            Outcome::Committed => true,
            Outcome::Unknown => *seen,
            Outcome::Aborted => false,
        })
        .collect();
    let ends_known: Vec<bool> = all.iter().map(|one| one.outcome == Outcome::Committed).collect();
    let graph = Graph::new(history, &present, &ends_known, std::mem::take(&mut observed.edges));
    pairs(&mut observed, &graph);
    classes(&mut observed, &graph);

    let mut report = totals(history);
    report.unknown_seen = observed.seen.iter().filter(|seen| **seen).count() as u64;
    report.writes_read = observed.writes_read;
    report.keys = {
        let mut keys: Vec<u32> = observed.writers.keys().map(|(key, _)| *key).collect();
        keys.sort_unstable();
        keys.dedup();
        keys.len() as u64
    };
    report.edges =
        Edges { ww: graph.count(StepKind::Ww), wr: graph.count(StepKind::Wr), rw: graph.count(StepKind::Rw) };
    report.anomalies = observed.anomalies();
    Ok(report)
}

fn totals(history: &History) -> Report {
    let mut report = Report::default();
    let mut levels: BTreeMap<String, u64> = BTreeMap::new();
    for one in history.transactions() {
        match one.outcome {
            Outcome::Aborted => report.aborted += 1,
            Outcome::Unknown => report.unknown += 1,
            Outcome::Committed => {
                report.committed += 1;
                let level = one.level.map_or("", |at| history.levels()[usize::from(at)].as_str());
                *levels.entry(level.to_owned()).or_default() += 1;
                for operation in history.operations(one) {
                    report.operations += 1;
                    match operation {
                        Operation::Append { .. } | Operation::Write { .. } => report.writes += 1,
                        Operation::List { .. } | Operation::Register { .. } => report.reads += 1,
                    }
                }
            }
        }
    }
    report.levels = levels;
    report
}

/// Cycles of two transactions, all of them: two that each did not read what the other wrote, and reads of a part.
fn pairs(observed: &mut Observed<'_>, graph: &Graph) {
    let history = observed.history;
    for from in 0..number(graph.transactions()) {
        for edge in graph.of(from).iter().filter(|edge| edge.kind == StepKind::Rw).take(PAIRS) {
            let direct = graph.between(edge.to, from, |kind| kind != StepKind::Rw);
            let (steps, count) = if let Some(back) = direct {
                // Reads of one key that do not repeat, and updates that are lost, have names of their own.
                (Steps::Apart, back.key != edge.key)
            } else {
                let back = graph.between(edge.to, from, |kind| kind == StepKind::Rw);
                (Steps::All, from < edge.to && back.is_some())
            };
            if count {
                let cycle = example(history, graph, &[(from, false), (edge.to, false)], steps);
                observed.example(name(&cycle), || cycle);
            }
        }
    }
}

/// Whether there is a cycle of each class, and examples of those that have no name yet.
fn classes(observed: &mut Observed<'_>, graph: &Graph) {
    let history = observed.history;
    for (steps, time) in [
        (Steps::Writes, false),
        (Steps::Reads, false),
        (Steps::Reads, true),
        (Steps::Apart, false),
        (Steps::Apart, true),
        (Steps::All, false),
    ] {
        let known = observed.names();
        for cycle in cycles(&View { graph, steps, time }, EXAMPLES) {
            let cycle = example(history, graph, &cycle, steps);
            let called = name(&cycle);
            // A cycle of a smaller class is one of every class that holds it.
            if !known.contains(called) {
                observed.example(called, || cycle);
            }
            observed.not_all(called);
        }
    }
}
