//! A cycle as an example that people can follow.

use crate::graph::Graph;
use crate::history::History;
use crate::lists::seconds;
use crate::report::{Example, Step, StepKind};
use crate::search::witness;
use crate::view::Steps;

/// The example of a cycle; `steps` are those that its class may have.
pub(crate) fn example(history: &History, graph: &Graph, cycle: &[(u32, bool)], steps: Steps) -> Example {
    let many = cycle.len();
    let mut found: Vec<Step> = Vec::with_capacity(many);
    for (place, (from, time)) in cycle.iter().enumerate() {
        let to = (place + 1) % many;
        let (next, _) = cycle[to];
        let missed_before = found.last().is_some_and(|step: &Step| step.kind == StepKind::Rw);
        let wanted = |kind: StepKind| match kind {
            StepKind::Ww => true,
            StepKind::Wr => steps != Steps::Writes,
            StepKind::Rw => steps == Steps::All || (steps == Steps::Apart && !missed_before),
            StepKind::Rt => false,
        };
        // Dependencies of one pair come as ww, wr, rw: the one that says most first.
        let edge = if *time { None } else { graph.between(*from, next, wanted) };
        let told = |value: u32| (value > 0).then_some(value);
        let all = history.transactions();
        found.push(match edge {
            Some(edge) => Step {
                from: place,
                to,
                kind: edge.kind,
                key: Some(edge.key),
                first: told(edge.first),
                second: told(edge.second),
                gap_s: None,
            },
            None => Step {
                from: place,
                to,
                kind: StepKind::Rt,
                key: None,
                first: None,
                second: None,
                gap_s: Some(seconds(all[next as usize].begun.saturating_sub(all[*from as usize].ended))),
            },
        });
    }
    let keys: Vec<u32> = found.iter().filter_map(|step| step.key).collect();
    Example {
        transactions: cycle.iter().map(|(one, _)| witness(history, *one, &keys)).collect(),
        steps: found,
        key: None,
        element: None,
    }
}
