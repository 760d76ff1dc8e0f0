//! What a history shows.

use std::collections::BTreeMap;

use serde::Serialize;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// Transactions whose commit was acknowledged.
    pub committed: u64,
    /// Transactions that left nothing behind.
    pub aborted: u64,
    /// Transactions of which nobody knows.
    pub unknown: u64,
    /// Of these, transactions whose writes somebody saw: they did commit.
    pub unknown_seen: u64,
    /// Reads and writes of committed transactions.
    pub operations: u64,
    /// Of these, reads.
    pub reads: u64,
    /// Keys that anybody wrote.
    pub keys: u64,
    /// Writes of committed transactions that some committed transaction read, directly or below later ones.
    pub writes_read: u64,
    /// Writes of committed transactions.
    pub writes: u64,
    /// Dependencies that were inferred.
    pub edges: Edges,
    /// Committed transactions by the level that the server named inside them; the empty name where it named none.
    pub levels: BTreeMap<String, u64>,
    /// What was found, by name; nothing else is there.
    pub anomalies: Vec<Anomaly>,
}

/// Dependencies between transactions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Edges {
    /// From who wrote a version to who wrote the next one.
    pub ww: u64,
    /// From who wrote a version to who read it.
    pub wr: u64,
    /// From who read a version to who wrote the next one.
    pub rw: u64,
}

/// All that was found of one name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Anomaly {
    /// Its name.
    pub name: &'static str,
    /// How often it was found.
    pub count: u64,
    /// Whether that is all there is; cycles are searched until there are enough examples.
    pub counted: bool,
    /// The shortest first.
    pub examples: Vec<Example>,
}

/// One anomaly: transactions, and why each must come before the next one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Example {
    /// Whoever takes part; in the order of a cycle where it is one.
    pub transactions: Vec<Witness>,
    /// The cycle; empty where one read alone shows it.
    pub steps: Vec<Step>,
    /// Of what is no cycle: the key.
    pub key: Option<u32>,
    /// Of what is no cycle: the element that is meant.
    pub element: Option<u32>,
}

/// A transaction of an example.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Witness {
    /// Its number, in the order in which transactions ended.
    pub number: u64,
    /// Whose it was.
    pub process: u32,
    /// Seconds since the run began.
    pub begun_s: f64,
    /// Likewise.
    pub ended_s: f64,
    /// `committed`, `aborted` or `unknown`.
    pub outcome: &'static str,
    /// What it did.
    pub operations: Vec<Moment>,
}

/// What a transaction did, and what it was answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Moment {
    /// `append`, `list`, `write` or `register`.
    pub kind: &'static str,
    /// Of what.
    pub key: u32,
    /// What was written, or a register that was read; nothing of one that nobody had written.
    pub value: Option<u32>,
    /// The last elements of a list that was read; nothing where the answer never came.
    pub list: Option<Vec<u32>>,
    /// Elements of it that were left out, before these.
    pub before: u64,
}

/// What orders two transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StepKind {
    /// The second wrote after the first.
    Ww,
    /// The second read what the first wrote.
    Wr,
    /// The first did not read what the second wrote.
    Rw,
    /// The first had ended when the second began.
    Rt,
}

/// Why a transaction comes before another one, both by their place in [`Example::transactions`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// The first.
    pub from: usize,
    /// The second.
    pub to: usize,
    /// Why.
    pub kind: StepKind,
    /// The key.
    pub key: Option<u32>,
    /// What the first wrote, or the last that it read; nothing where there was nothing to read.
    pub first: Option<u32>,
    /// What the second wrote.
    pub second: Option<u32>,
    /// Seconds between the end of the first and the beginning of the second.
    pub gap_s: Option<f64>,
}
