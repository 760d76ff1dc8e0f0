//! Transactions and what orders them.

use crate::history::History;
use crate::report::StepKind;

/// A dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    pub(crate) to: u32,
    pub(crate) kind: StepKind,
    pub(crate) key: u32,
    /// What the first wrote or read last; 0 for nothing.
    pub(crate) first: u32,
    /// What the second wrote; 0 for nothing.
    pub(crate) second: u32,
}

/// Dependencies as they are found.
#[derive(Debug, Default)]
pub(crate) struct Edges(Vec<(u32, Edge)>);

impl Edges {
    /// Adds one, unless both are the same transaction.
    pub(crate) fn add(&mut self, from: u32, to: u32, kind: StepKind, key: u32, (first, second): (u32, u32)) {
        if from != to {
            self.0.push((from, Edge { to, kind, key, first, second }));
        }
    }
}

/// All dependencies, by who comes first; and the order of time.
///
/// Time is a chain of one more node for each end: whoever ends leads to its own node, which leads to the next one, and
/// whoever begins is led to from the last node before. So "had ended before the other began" is as long as the history.
#[derive(Debug)]
pub(crate) struct Graph {
    edges: Vec<Edge>,
    starts: Vec<usize>,
    /// Of a transaction: its place among the ends; none of one whose end nobody knows.
    rank: Vec<Option<u32>>,
    /// By the last end before it: who begins.
    begins: Vec<u32>,
    begin_starts: Vec<usize>,
}

impl Graph {
    /// Of the transactions of a history of which `present` is true.
    pub(crate) fn new(history: &History, present: &[bool], ends_known: &[bool], edges: Edges) -> Self {
        let all = history.transactions();
        let mut found = edges.0;
        found.sort_unstable();
        found.dedup_by_key(|(from, edge)| (*from, edge.to, edge.kind));
        let mut starts = vec![0; all.len() + 1];
        for (from, _) in &found {
            starts[*from as usize + 1] += 1;
        }
        for at in 0..all.len() {
            starts[at + 1] += starts[at];
        }
        let edges = found.into_iter().map(|(_, edge)| edge).collect();

        let mut ends: Vec<u32> =
            (0..number(all.len())).filter(|at| present[*at as usize] && ends_known[*at as usize]).collect();
        ends.sort_by_key(|at| all[*at as usize].ended);
        let mut rank = vec![None; all.len()];
        for (place, at) in ends.iter().enumerate() {
            rank[*at as usize] = Some(number(place));
        }
        let mut begins: Vec<u32> = (0..number(all.len())).filter(|at| present[*at as usize]).collect();
        begins.sort_by_key(|at| all[*at as usize].begun);
        let mut begin_starts = vec![0; ends.len() + 1];
        for (place, end) in ends.iter().enumerate() {
            let at = all[*end as usize].ended;
            // Who begins at the very moment need not have begun afterwards.
            begin_starts[place] = begins.partition_point(|one| all[*one as usize].begun <= at);
        }
        begin_starts[ends.len()] = begins.len();
        Self { edges, starts, rank, begins, begin_starts }
    }

    /// How many transactions there are.
    pub(crate) fn transactions(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many ends there are.
    pub(crate) fn ends(&self) -> usize {
        self.begin_starts.len() - 1
    }

    /// What follows from a transaction.
    pub(crate) fn of(&self, transaction: u32) -> &[Edge] {
        &self.edges[self.starts[transaction as usize]..self.starts[transaction as usize + 1]]
    }

    /// The place of its end.
    pub(crate) fn end_of(&self, transaction: u32) -> Option<u32> {
        self.rank[transaction as usize]
    }

    /// Who begins between an end and the next one.
    pub(crate) fn begun_after(&self, end: u32) -> &[u32] {
        &self.begins[self.begin_starts[end as usize]..self.begin_starts[end as usize + 1]]
    }

    /// The first dependency of a kind, or of any, between two.
    pub(crate) fn between(&self, from: u32, to: u32, wanted: impl Fn(StepKind) -> bool) -> Option<&Edge> {
        let own = self.of(from);
        let first = own.partition_point(|edge| edge.to < to);
        own[first..].iter().take_while(|edge| edge.to == to).find(|edge| wanted(edge.kind))
    }

    /// How many there are of a kind.
    pub(crate) fn count(&self, kind: StepKind) -> u64 {
        self.edges.iter().filter(|edge| edge.kind == kind).count() as u64
    }
}

/// A place among fewer than 2^32.
pub(crate) fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
