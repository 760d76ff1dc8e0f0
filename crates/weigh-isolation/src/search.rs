//! The shortest cycles of a class, as examples.

use std::collections::VecDeque;

use crate::history::{History, Operation, Outcome};
use crate::lists::seconds;
use crate::report::{Example, Moment, StepKind, Witness};
use crate::view::{ALONE, View};

/// Elements of a list that are shown, from its end.
const SHOWN: usize = 12;
/// Successors that are looked at to find the examples of one class.
const BUDGET: u64 = 20_000_000;
/// Components that are looked into, and nodes of each from which a cycle is looked for.
const COMPONENTS: u32 = 64;
const STARTS: usize = 64;

/// A transaction of an example, with what it did; of lists that are not among `keys` only the end is shown.
pub(crate) fn witness(history: &History, number: u32, keys: &[u32]) -> Witness {
    let one = history.transactions()[number as usize];
    let moment = |kind, key, value| Moment { kind, key, value, list: None, before: 0 };
    let operations = history.operations(&one).iter().map(|operation| match *operation {
        Operation::Append { key, element } => moment("append", key, Some(element)),
        Operation::Write { key, value } => moment("write", key, Some(value)),
        Operation::Register { key, value } => moment("register", key, value.flatten()),
        Operation::List { key, list } => {
            let most = if keys.contains(&key) { SHOWN } else { SHOWN / 2 };
            let all = list.map(|at| history.list(at));
            let hidden = all.map_or(0, |all| all.len().saturating_sub(most));
            let list = all.map(|all| all[hidden..].to_vec());
            Moment { kind: "list", key, value: None, list, before: hidden as u64 }
        }
    });
    Witness {
        number: u64::from(number),
        process: one.process,
        begun_s: seconds(one.begun),
        ended_s: seconds(one.ended),
        outcome: match one.outcome {
            Outcome::Committed => "committed",
            Outcome::Aborted => "aborted",
            Outcome::Unknown => "unknown",
        },
        operations: operations.collect(),
    }
}

/// Short cycles of a view, of different transactions each; none only where there is no cycle.
///
/// Each is a list of transactions, with whether the step to the next one is of time.
pub(crate) fn cycles(view: &View<'_>, most: usize) -> Vec<Vec<(u32, bool)>> {
    let (component, components) = view.components();
    if components == 0 {
        return Vec::new();
    }
    let mut starts: Vec<Vec<u32>> = vec![Vec::new(); components.min(COMPONENTS) as usize];
    for (node, own) in (0..).zip(&component) {
        if *own != ALONE
            && let Some(list) = starts.get_mut(*own as usize)
            && list.len() < STARTS
            && view.transaction(node).is_some()
        {
            list.push(node);
        }
    }
    let mut search = Search { view, component: &component, from: Vec::new(), touched: Vec::new(), spent: 0 };
    let mut found: Vec<Vec<(u32, bool)>> = Vec::new();
    for list in starts {
        let mut best: Option<Vec<(u32, bool)>> = None;
        for start in list {
            if search.spent > BUDGET && best.is_some() {
                break;
            }
            let cycle = search.shortest(start);
            if let Some(cycle) = cycle
                && best.as_ref().is_none_or(|best| cycle.len() < best.len())
            {
                best = Some(cycle);
            }
        }
        found.extend(best);
        if search.spent > BUDGET {
            break;
        }
    }
    found.sort_by_key(|cycle| (cycle.len(), cycle[0].0));
    found.truncate(most);
    found
}

struct Search<'v, 'g> {
    view: &'v View<'g>,
    component: &'v [u32],
    /// By node: from where it was come to first.
    from: Vec<u32>,
    touched: Vec<u32>,
    spent: u64,
}

impl Search<'_, '_> {
    /// The shortest way from a node back to it.
    fn shortest(&mut self, start: u32) -> Option<Vec<(u32, bool)>> {
        const NEW: u32 = u32::MAX;
        self.from.resize(self.component.len(), NEW);
        let own = self.component[start as usize];
        let mut queue = VecDeque::from([start]);
        let mut last = None;
        'search: while let Some(node) = queue.pop_front() {
            let mut place = 0;
            while let Some((successor, following)) = self.view.next(node, place) {
                place = following;
                self.spent += 1;
                if successor == start {
                    last = Some(node);
                    break 'search;
                }
                if self.component[successor as usize] == own && self.from[successor as usize] == NEW {
                    self.from[successor as usize] = node;
                    self.touched.push(successor);
                    queue.push_back(successor);
                }
            }
        }
        let mut path = Vec::new();
        let mut at = last;
        while let Some(node) = at {
            path.push(node);
            at = (node != start).then(|| self.from[node as usize]);
        }
        for node in self.touched.drain(..) {
            self.from[node as usize] = NEW;
        }
        if path.is_empty() {
            return None;
        }
        path.reverse();
        Some(self.without_ends(&path))
    }

    /// Transactions alone, each with whether time leads on from it.
    fn without_ends(&self, path: &[u32]) -> Vec<(u32, bool)> {
        let mut found: Vec<(u32, bool)> = Vec::new();
        for node in path {
            match (self.view.transaction(*node), found.last_mut()) {
                (Some(transaction), _) => found.push((transaction, false)),
                (None, Some((_, time))) => *time = true,
                (None, None) => {}
            }
        }
        found
    }
}

/// What a cycle is called (Adya 1999; Cerone, Gotsman 2018; Elle, table 1).
pub(crate) fn name(example: &Example) -> &'static str {
    let kinds: Vec<StepKind> = example.steps.iter().map(|step| step.kind).collect();
    let count = |kind| kinds.iter().filter(|one| **one == kind).count();
    let (missed, time) = (count(StepKind::Rw), count(StepKind::Rt) > 0);
    let next = |at: usize| kinds[(at + 1) % kinds.len()];
    let in_a_row = (0..kinds.len()).any(|at| kinds[at] == StepKind::Rw && next(at) == StepKind::Rw);
    match (missed, time) {
        (0, false) if count(StepKind::Wr) == 0 => "G0",
        (0, false) => "G1c",
        (0, true) if count(StepKind::Wr) == 0 => "G0-realtime",
        (0, true) => "G1c-realtime",
        (1, true) if kinds.len() == 2 => "stale-read",
        (1, false) if kinds.len() == 2 && count(StepKind::Ww) == 1 && one_key(example) => "lost-update",
        (1, false) => "G-single",
        (1, true) => "G-single-realtime",
        (2, false) if in_a_row && kinds.len() == 2 => "write-skew",
        (_, false) if in_a_row => "G2-item",
        (_, true) if in_a_row => "G2-item-realtime",
        (2, false) if kinds.len() == 4 && count(StepKind::Wr) == 2 => "long-fork",
        (_, false) => "G-nonadjacent",
        (_, true) => "G-nonadjacent-realtime",
    }
}

fn one_key(example: &Example) -> bool {
    example.steps.iter().all(|step| step.key == example.steps[0].key)
}
