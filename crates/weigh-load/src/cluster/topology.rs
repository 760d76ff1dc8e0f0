//! Which node of a cluster has which slots.

use std::fmt;

use crate::blocking_connection::BlockingConnection;
use crate::config::Target;
use crate::error::{Asked, Error};
use crate::workload::message::{Command, Reply, Rows};

use super::slots::{Place, SLOTS};

/// A slot that no node has.
const NOBODY: u16 = u16::MAX;
/// For the answer, in nanoseconds.
const PATIENCE: u64 = 10 * crate::clock::SECOND;
/// Nodes that are known, at most: what a server says is believed no further.
const MOST_NODES: usize = 1_000;
/// Digits of the name that a node gives itself.
const IDENTITY: usize = 40;

/// Where a node is, as the cluster names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NodeName {
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl NodeName {
    /// It as a target, with the user, the password and the TLS of its cluster.
    pub(crate) fn within(&self, target: &Target) -> Target {
        Target { host: Some(self.host.clone()), port: Some(self.port), socket: None, ..target.clone() }
    }
}

impl fmt::Display for NodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// The primaries of a cluster, and their slots.
#[derive(Clone, Debug)]
pub(crate) struct Topology {
    nodes: Vec<NodeName>,
    /// The place of each slot's node.
    owners: Vec<u16>,
}

impl Topology {
    /// What is asked for it.
    pub(crate) fn question() -> Command {
        Command::Keyed(vec![b"CLUSTER".into(), b"SLOTS".into()])
    }

    /// Asks any node of the cluster.
    ///
    /// # Errors
    ///
    /// It cannot be reached, is no node of a cluster, or no node has some of the slots.
    pub(crate) fn find(target: &Target) -> Result<Self, Error> {
        let asked = NodeName {
            host: target.host.clone().unwrap_or_else(|| "127.0.0.1".to_owned()),
            port: target.port.unwrap_or(6379),
        };
        let mut link = BlockingConnection::open(target, &[])?;
        link.ask(&Self::question(), PATIENCE)?;
        let mut found = Self { nodes: Vec::new(), owners: vec![NOBODY; usize::from(SLOTS)] };
        match link.reply() {
            Reply::Rows(rows) => _ = found.update(&rows, &asked),
            Reply::Error { code, text } => {
                return Err(Error::Refused {
                    asked: Asked::Task(format!("asking {asked} for the slots of its cluster")),
                    code: code.to_owned(),
                    message: text.to_owned(),
                    remedy: Some("write redis:// or valkey:// for a server that is in no cluster"),
                });
            }
            _ => return Err(Error::protocol("no slots in answer to CLUSTER SLOTS")),
        }
        match found.owners.iter().position(|owner| *owner == NOBODY) {
            None => Ok(found),
            Some(slot) => Err(Error::unreachable(
                asked,
                format!("its cluster has no node for slot {slot}; see CLUSTER INFO"),
            )),
        }
    }

    /// Takes an answer of `from` to the question; whether any slot has another node than before.
    pub(crate) fn update(&mut self, rows: &Rows<'_>, from: &NodeName) -> bool {
        let mut changed = false;
        for (first, last, name) in ranges(rows, from) {
            let Some(node) = self.node(name) else { continue };
            for owner in self.owners.iter_mut().skip(first).take(last + 1 - first) {
                changed |= *owner != node;
                *owner = node;
            }
        }
        changed
    }

    /// The primaries, in the order in which they became known.
    pub(crate) fn nodes(&self) -> &[NodeName] {
        &self.nodes
    }

    /// The place of a node, which is new where it was not known; nothing where there are too many.
    pub(crate) fn node(&mut self, name: NodeName) -> Option<u16> {
        let place = match self.nodes.iter().position(|known| *known == name) {
            Some(place) => place,
            None if self.nodes.len() < MOST_NODES => {
                self.nodes.push(name);
                self.nodes.len() - 1
            }
            None => return None,
        };
        u16::try_from(place).ok()
    }

    /// From now on a slot is there.
    pub(crate) fn moved(&mut self, slot: u16, node: u16) {
        if let Some(owner) = self.owners.get_mut(usize::from(slot)) {
            *owner = node;
        }
    }

    /// The node of a slot; the first where there is none.
    pub(crate) fn owner(&self, slot: u16) -> usize {
        let owner = self.owners.get(usize::from(slot)).copied().unwrap_or(NOBODY);
        if owner == NOBODY { 0 } else { usize::from(owner) }
    }

    /// The node that takes a command; nothing where any does.
    ///
    /// # Errors
    ///
    /// Its keys lie in several slots, or nowhere: as the servers say it.
    pub(crate) fn of(&self, command: &Command) -> Result<Option<usize>, String> {
        match super::slots::place(command) {
            Place::Anywhere => Ok(None),
            Place::Slot(slot) => match self.owners.get(usize::from(slot)) {
                Some(owner) if *owner != NOBODY => Ok(Some(usize::from(*owner))),
                _ => Err(format!("no node of the cluster has slot {slot} (CLUSTERDOWN)")),
            },
            Place::Apart(one, other) => Err(super::slots::apart(one, other)),
        }
    }
}

/// First slot, last slot and primary of each range. The answer is a list of lists, which are laid flat here: two slots,
/// then host, port and name of each node, the primary first, and since Redis 7 what else is known of it.
fn ranges(rows: &Rows<'_>, from: &NodeName) -> Vec<(usize, usize, NodeName)> {
    let text = |at: usize| rows.get(0, at).and_then(|value| std::str::from_utf8(value).ok());
    let number = |at: usize| text(at).and_then(|text| text.parse::<u16>().ok());
    let mut found = Vec::new();
    for at in 0..rows.width(0) {
        let identity = text(at + 4).filter(|text| text.len() == IDENTITY);
        let slots = (number(at).filter(|slot| *slot < SLOTS), number(at + 1).filter(|slot| *slot < SLOTS));
        let ((Some(first), Some(last)), Some(port), Some(_)) = (slots, number(at + 3), identity) else {
            continue;
        };
        if first > last {
            continue;
        }
        // Null or empty: the host that was asked.
        let host = text(at + 2).filter(|host| !host.is_empty() && *host != "?").unwrap_or(&from.host);
        found.push((usize::from(first), usize::from(last), NodeName { host: host.to_owned(), port }));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::message::Cell;

    fn updated(topology: &mut Topology, cells: &[Option<&str>]) -> bool {
        let (mut bytes, mut places) = (String::new(), Vec::<Cell>::new());
        for cell in cells {
            places.push(cell.map(|cell| {
                let begin = u32::try_from(bytes.len()).unwrap();
                bytes.push_str(cell);
                begin..u32::try_from(bytes.len()).unwrap()
            }));
        }
        let from = NodeName { host: "asked".into(), port: 1 };
        topology.update(&Rows::new(&[], bytes.as_bytes(), &places, &[cells.len()]), &from)
    }

    #[test]
    fn ranges_are_found_among_replicas_and_what_else_is_said() {
        let id = "0123456789012345678901234567890123456789";
        let cells: Vec<Option<&str>> = [
            "0", "5460", "10.0.0.1", "7000", id, "hostname", "one", "10.0.0.4", "7003", id, "5461", "16383",
            "", "7001", id,
        ]
        .map(Some)
        .to_vec();
        let mut topology = Topology { nodes: Vec::new(), owners: vec![NOBODY; usize::from(SLOTS)] };
        assert!(updated(&mut topology, &cells));
        assert!(!updated(&mut topology, &cells));
        let names: Vec<String> = topology.nodes().iter().map(NodeName::to_string).collect();
        assert_eq!(names, ["10.0.0.1:7000", "asked:7001"]);
        assert_eq!((topology.owners[5460], topology.owners[5461]), (0, 1));
        let get = |key: &str| topology.of(&Command::Keyed(vec![b"GET".into(), key.into()]));
        assert_eq!((get("foo"), get("bar")), (Ok(Some(1)), Ok(Some(0))));
        let moved = NodeName { host: "c".into(), port: 1 };
        let node = topology.node(moved).unwrap();
        topology.moved(5_061, node);
        for port in 0..2_000 {
            topology.node(NodeName { host: "d".into(), port });
        }
        assert_eq!(topology.nodes().len(), MOST_NODES);
        let get = |key: &str| topology.of(&Command::Keyed(vec![b"GET".into(), key.into()]));
        assert_eq!(get("bar"), Ok(Some(2)));
    }

    #[test]
    fn rubbish_names_no_node() {
        let mut topology = Topology { nodes: Vec::new(), owners: vec![NOBODY; usize::from(SLOTS)] };
        for cells in [&["9", "1", "h", "1", "x"][..], &["1"], &[], &["0", "99999", "h", "1", "y"]] {
            assert!(!updated(&mut topology, &cells.iter().copied().map(Some).collect::<Vec<_>>()));
        }
        assert!(
            topology.of(&Command::Keyed(vec![b"GET".into(), b"foo".into()])).unwrap_err().contains("no node")
        );
    }
}
