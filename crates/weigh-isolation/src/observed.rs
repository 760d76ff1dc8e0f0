//! What is collected of a history while it is looked through: who wrote what, anomalies that need no cycle, dependencies.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::error::Error;
use crate::graph::Edges;
use crate::history::{History, Operation, Outcome};
use crate::report::{Anomaly, Example};
use crate::search::witness;

/// Examples of one name that are handed on.
pub(crate) const EXAMPLES: usize = 4;
/// Nobody wrote it.
pub(crate) const NOBODY: u32 = u32::MAX;

/// Who wrote an element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Writer {
    pub(crate) transaction: u32,
    /// Whether it wrote nothing to that key afterwards.
    pub(crate) last: bool,
}

/// Everything that is collected.
#[derive(Debug)]
pub(crate) struct Observed<'h> {
    pub(crate) history: &'h History,
    pub(crate) writers: HashMap<(u32, u32), Writer>,
    pub(crate) edges: Edges,
    /// Of transactions of unknown outcome: whether somebody saw what they wrote.
    pub(crate) seen: Vec<bool>,
    pub(crate) writes_read: u64,
    found: BTreeMap<&'static str, Anomaly>,
}

impl<'h> Observed<'h> {
    pub(crate) fn new(history: &'h History) -> Result<Self, Error> {
        let mut writers: HashMap<(u32, u32), Writer> = HashMap::new();
        let mut last: HashMap<u32, u32> = HashMap::new();
        for (place, one) in (0..).zip(history.transactions()) {
            last.clear();
            for operation in history.operations(one) {
                let (Operation::Append { key, element } | Operation::Write { key, value: element }) =
                    *operation
                else {
                    continue;
                };
                if writers.insert((key, element), Writer { transaction: place, last: true }).is_some() {
                    return Err(Error::Twice { key, element });
                }
                if let Some(before) = last.insert(key, element)
                    && let Some(earlier) = writers.get_mut(&(key, before))
                {
                    earlier.last = false;
                }
            }
        }
        let seen = vec![false; history.transactions().len()];
        Ok(Self { history, writers, edges: Edges::default(), seen, writes_read: 0, found: BTreeMap::new() })
    }

    pub(crate) fn outcome(&self, transaction: u32) -> Outcome {
        self.history.transactions()[transaction as usize].outcome
    }

    /// Who wrote it, if he may have committed; [`NOBODY`] else.
    pub(crate) fn committed_writer(&self, key: u32, element: u32) -> u32 {
        let found = self.writers.get(&(key, element));
        let found = found.filter(|one| self.outcome(one.transaction) != Outcome::Aborted);
        found.map_or(NOBODY, |one| one.transaction)
    }

    /// Counts an anomaly that needs no cycle.
    pub(crate) fn found(&mut self, name: &'static str, transactions: &[u32], key: u32, element: Option<u32>) {
        let history = self.history;
        self.example(name, || Example {
            transactions: transactions.iter().map(|one| witness(history, *one, &[key])).collect(),
            steps: Vec::new(),
            key: Some(key),
            element,
        });
    }

    /// Counts an anomaly, and keeps the first ones as examples.
    pub(crate) fn example(&mut self, name: &'static str, example: impl FnOnce() -> Example) {
        let found = self.found.entry(name).or_insert_with(|| Anomaly {
            name,
            count: 0,
            counted: true,
            examples: Vec::new(),
        });
        found.count += 1;
        if found.examples.len() < EXAMPLES {
            found.examples.push(example());
        }
    }

    /// That there may be more of a name than were counted.
    pub(crate) fn not_all(&mut self, name: &'static str) {
        if let Some(found) = self.found.get_mut(name) {
            found.counted = false;
        }
    }

    pub(crate) fn names(&self) -> BTreeSet<&'static str> {
        self.found.keys().copied().collect()
    }

    pub(crate) fn anomalies(self) -> Vec<Anomaly> {
        self.found.into_values().collect()
    }
}
