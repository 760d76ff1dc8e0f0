//! Where the connections of a loop go: to one server, or to the nodes of a cluster.

use std::sync::Arc;

use super::socket::Address;
use crate::Error;
use crate::cluster::{Redirection, Topology};
use crate::config::Target;
use crate::protocol::connection::Plan;
use crate::workload::message::{Command, PreparedStatement, Reply};

/// A server, or a node of a cluster.
#[derive(Clone)]
pub(crate) struct Node {
    pub(super) address: Address,
    pub(super) plan: Arc<Plan>,
}

/// All of them.
#[derive(Clone)]
pub(crate) struct Nodes {
    each: Vec<Node>,
    cluster: Option<Cluster>,
}

#[derive(Clone)]
struct Cluster {
    topology: Topology,
    target: Target,
    /// How many connections each node gets.
    connections: usize,
}

impl Nodes {
    /// Finds the server of a target, or the nodes of its cluster, each of which must answer.
    pub(crate) fn find(
        target: &Target,
        statements: &[PreparedStatement],
        connections: usize,
    ) -> Result<Self, Error> {
        if !target.cluster {
            let plan = Arc::new(Plan::new(target, statements, connections)?);
            let each =
                Address::all(target)?.into_iter().map(|address| Node { address, plan: Arc::clone(&plan) });
            return Ok(Self { each: each.collect(), cluster: None });
        }
        let topology = Topology::find(target)?;
        let all = connections * topology.nodes().len();
        let each = topology.nodes().iter().map(|name| {
            let node = name.within(target);
            Ok(Node { address: Address::find(&node)?, plan: Arc::new(Plan::new(&node, &[], all)?) })
        });
        let each = each.collect::<Result<_, Error>>()?;
        Ok(Self { each, cluster: Some(Cluster { topology, target: target.clone(), connections: all }) })
    }

    pub(super) fn len(&self) -> usize {
        self.each.len()
    }

    /// How many sockets one connection of the load is: one to each node where keys decide which node is asked, else one
    /// in all, and connections go to one node after the other.
    pub(super) fn of_a_connection(&self) -> usize {
        if self.is_cluster() { self.each.len() } else { 1 }
    }

    pub(super) fn is_cluster(&self) -> bool {
        self.cluster.is_some()
    }

    pub(super) fn get(&self, node: usize) -> &Node {
        &self.each[node]
    }

    /// The node that takes a command; nothing where any does.
    pub(super) fn of(&self, command: &Command) -> Result<Option<usize>, String> {
        self.cluster.as_ref().map_or(Ok(None), |cluster| cluster.topology.of(command))
    }

    /// Where a node sends a command instead: to which one, and whether only this once. Nothing where its answer is no
    /// redirection.
    pub(super) fn redirected(
        &mut self,
        from: usize,
        reply: &Reply<'_>,
    ) -> Result<Option<(usize, bool)>, Error> {
        let Some(cluster) = &mut self.cluster else { return Ok(None) };
        let name = &cluster.topology.nodes()[from];
        let Some(Redirection { once, slot, to }) = Redirection::read(reply, name) else { return Ok(None) };
        let Some(node) = cluster.topology.node(to) else { return Ok(None) };
        if !once {
            cluster.topology.moved(slot, node);
        }
        self.add()?;
        Ok(Some((usize::from(node), once)))
    }

    /// Takes the answer of a node that was asked for the slots.
    pub(super) fn update(&mut self, from: usize, reply: &Reply<'_>) -> Result<(), Error> {
        let Some(cluster) = &mut self.cluster else { return Ok(()) };
        let name = cluster.topology.nodes()[from].clone();
        if let Reply::Rows(rows) = reply {
            cluster.topology.update(rows, &name);
        }
        self.add()
    }

    /// Finds the nodes that became known last.
    fn add(&mut self) -> Result<(), Error> {
        let Some(cluster) = &self.cluster else { return Ok(()) };
        for name in &cluster.topology.nodes()[self.each.len()..] {
            let node = name.within(&cluster.target);
            let plan = Arc::new(Plan::new(&node, &[], cluster.connections)?);
            self.each.push(Node { address: Address::of_node(&name.host, name.port)?, plan });
        }
        Ok(())
    }
}
