//! A graph as a class of anomalies sees it, and its strongly connected components (Tarjan 1972).

use crate::graph::{Graph, number};
use crate::report::StepKind;

/// Which steps a cycle may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct View<'g> {
    pub(crate) graph: &'g Graph,
    pub(crate) steps: Steps,
    /// Whether the order of time is one.
    pub(crate) time: bool,
}

/// Which dependencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Steps {
    /// Writes after writes.
    Writes,
    /// Writes after writes, and reads of what was written.
    Reads,
    /// These, and what was not read, but never twice in a row.
    Apart,
    /// All of them.
    All,
}

impl PartialEq for Graph {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Graph {}

/// No component: a node alone.
pub(crate) const ALONE: u32 = u32::MAX;

impl View<'_> {
    /// Transactions come first, then ends. Where it counts how a transaction was come to, all of them follow once more:
    /// come to by what was not read.
    pub(crate) fn nodes(&self) -> usize {
        let once = self.once();
        if self.steps == Steps::Apart { once + self.graph.transactions() } else { once }
    }

    fn once(&self) -> usize {
        self.graph.transactions() + if self.time { self.graph.ends() } else { 0 }
    }

    /// The transaction of a node; nothing of an end.
    pub(crate) fn transaction(&self, node: u32) -> Option<u32> {
        let (own, once) = (self.graph.transactions(), self.once());
        let node = node as usize;
        if node < own {
            Some(number(node))
        } else if node >= once {
            Some(number(node - once))
        } else {
            None
        }
    }

    /// The successor behind a place among them, and the next place.
    pub(crate) fn next(&self, node: u32, mut place: usize) -> Option<(u32, usize)> {
        let own = self.graph.transactions();
        let Some(transaction) = self.transaction(node) else {
            let end = node - number(own);
            if place == 0 {
                let following = end as usize + 1;
                if following < self.graph.ends() {
                    return Some((node + 1, 1));
                }
                place = 1;
            }
            let begun = self.graph.begun_after(end);
            return begun.get(place - 1).map(|one| (*one, place + 1));
        };
        let missed = node as usize >= self.once() && self.steps == Steps::Apart;
        let edges = self.graph.of(transaction);
        while let Some(edge) = edges.get(place) {
            place += 1;
            match edge.kind {
                StepKind::Ww => return Some((edge.to, place)),
                StepKind::Wr if self.steps != Steps::Writes => return Some((edge.to, place)),
                StepKind::Rw if self.steps == Steps::All => return Some((edge.to, place)),
                StepKind::Rw if self.steps == Steps::Apart && !missed => {
                    return Some((edge.to + number(self.once()), place));
                }
                _ => {}
            }
        }
        if self.time && place == edges.len() {
            return self.graph.end_of(transaction).map(|end| (number(own) + end, place + 1));
        }
        None
    }

    /// The component of each node, and how many there are; those of one node are [`ALONE`].
    pub(crate) fn components(&self) -> (Vec<u32>, u32) {
        const NEW: u32 = u32::MAX;
        let nodes = self.nodes();
        let (mut index, mut low) = (vec![NEW; nodes], vec![0_u32; nodes]);
        let mut component = vec![ALONE; nodes];
        let mut on_stack = vec![false; nodes];
        let (mut stack, mut path): (Vec<u32>, Vec<(u32, usize)>) = (Vec::new(), Vec::new());
        let (mut counter, mut components) = (0, 0);
        for root in 0..number(nodes) {
            if index[root as usize] != NEW {
                continue;
            }
            path.push((root, 0));
            while let Some((node, place)) = path.last_mut() {
                let at = *node as usize;
                if *place == 0 && index[at] == NEW {
                    index[at] = counter;
                    low[at] = counter;
                    counter += 1;
                    stack.push(*node);
                    on_stack[at] = true;
                }
                if let Some((successor, following)) = self.next(*node, *place) {
                    *place = following;
                    let to = successor as usize;
                    if index[to] == NEW {
                        path.push((successor, 0));
                    } else if on_stack[to] {
                        low[at] = low[at].min(index[to]);
                    }
                    continue;
                }
                let node = *node;
                path.pop();
                if let Some((parent, _)) = path.last() {
                    low[*parent as usize] = low[*parent as usize].min(low[at]);
                }
                if low[at] == index[at] {
                    let alone = stack.last() == Some(&node);
                    while let Some(one) = stack.pop() {
                        on_stack[one as usize] = false;
                        if !alone {
                            component[one as usize] = components;
                        }
                        if one == node {
                            break;
                        }
                    }
                    components += u32::from(!alone);
                }
            }
        }
        (component, components)
    }
}
