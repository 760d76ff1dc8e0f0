//! Connections to all nodes of a cluster that wait for every answer: for what is loaded and asked outside the clock.

use std::collections::BTreeMap;

use crate::Error;
use crate::blocking_connection::BlockingConnection;
use crate::config::Target;
use crate::workload::message::{Chunk, Command, Reply};

use super::MOST_REDIRECTIONS;
use super::redirection::Redirection;
use super::slots::{Place, of_words};
use super::topology::Topology;

/// One connection to each node that was asked.
pub(crate) struct ClusterConnection {
    target: Target,
    topology: Topology,
    links: BTreeMap<usize, BlockingConnection>,
    /// The node that answered last.
    last: usize,
    /// Why no node answered.
    failure: Option<String>,
}

impl ClusterConnection {
    /// Asks the cluster for its nodes.
    pub(crate) fn open(target: &Target) -> Result<Self, Error> {
        let topology = Topology::find(target)?;
        Ok(Self { target: target.clone(), topology, links: BTreeMap::new(), last: 0, failure: None })
    }

    /// Sends a command to the node that has its key, and waits for the answer, which may be an error: that a node cannot
    /// be reached is one too.
    pub(crate) fn ask(&mut self, command: &Command, timeout: u64) {
        self.failure = None;
        let mut node = match self.topology.of(command) {
            Ok(node) => node.unwrap_or(0),
            Err(why) => {
                self.failure = Some(why);
                return;
            }
        };
        let mut asking = false;
        for _ in 0..=MOST_REDIRECTIONS {
            let name = self.topology.nodes()[node].clone();
            let asked = self.link(node).and_then(|link| link.ask_node(command, asking, timeout));
            if let Err(error) = asked {
                self.links.remove(&node);
                self.failure = Some(format!("node {name}: {error}"));
                return;
            }
            self.last = node;
            let Some(to) = Redirection::read(&self.reply(), &name) else { return };
            let Some(place) = self.topology.node(to.to) else { return };
            if !to.once {
                self.topology.moved(to.slot, place);
            }
            (node, asking) = (usize::from(place), to.once);
        }
    }

    /// The answer to the last command.
    pub(crate) fn reply(&self) -> Reply<'_> {
        match &self.failure {
            Some(text) => Reply::Error { code: "", text },
            None => self.links.get(&self.last).map_or(Reply::Nil, BlockingConnection::reply),
        }
    }

    /// Sends commands that are bytes already to the nodes that have their keys, and waits for the answers, none of which
    /// must be an error.
    pub(crate) fn send(&mut self, chunk: &Chunk) -> Result<(), Error> {
        let mut shares: BTreeMap<usize, Chunk> = BTreeMap::new();
        let mut rest = chunk.bytes.as_slice();
        while !rest.is_empty() {
            let (words, length) = words(rest).ok_or_else(|| Error::protocol("a row that is no command"))?;
            let Place::Slot(slot) = of_words(&words) else {
                return Err(Error::Setting(
                    "a row of several keys cannot be loaded into a cluster".to_owned(),
                ));
            };
            let node = self.topology.owner(slot);
            let share =
                shares.entry(node).or_insert_with(|| Chunk { bytes: Vec::new(), rows: 0, replies: 0 });
            share.bytes.extend_from_slice(&rest[..length]);
            share.replies += 1;
            rest = &rest[length..];
        }
        shares.into_iter().try_for_each(|(node, share)| self.link(node)?.send(&share))
    }

    fn link(&mut self, node: usize) -> Result<&mut BlockingConnection, Error> {
        if !self.links.contains_key(&node) {
            let target = self.topology.nodes()[node].within(&self.target);
            self.links.insert(node, BlockingConnection::open(&target, &[])?);
        }
        self.links.get_mut(&node).ok_or_else(Error::hung_up)
    }
}

/// The words of the first command, and how many bytes it has; nothing where it is none.
fn words(bytes: &[u8]) -> Option<(Vec<&[u8]>, usize)> {
    let number = |at: usize, sort: u8| {
        let line = bytes.get(at..)?.strip_prefix(&[sort])?;
        let end = line.iter().position(|byte| *byte == b'\r')?;
        let number: usize = std::str::from_utf8(&line[..end]).ok()?.parse().ok()?;
        Some((number, at + 1 + end + 2))
    };
    let (count, mut at) = number(0, b'*')?;
    let mut found = Vec::new();
    for _ in 0..count {
        let (length, begin) = number(at, b'$')?;
        found.push(bytes.get(begin..begin + length)?);
        at = begin + length + 2;
    }
    (at <= bytes.len()).then_some((found, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_apart_by_their_lengths() {
        let bytes = b"*2\r\n$3\r\nGET\r\n$4\r\na\r\nb\r\n*1\r\n$4\r\nPING\r\n";
        let (first, length) = words(bytes).unwrap();
        assert_eq!(first, [b"GET".as_slice(), b"a\r\nb"]);
        assert_eq!(words(&bytes[length..]).unwrap(), (vec![b"PING".as_slice()], bytes.len() - length));
        for cut in 0..length {
            assert_eq!(words(&bytes[..cut]), None);
        }
    }
}
