//! Clusters of Redis and Valkey: which node has a key, and what a node says when another one has it.
//!
//! Keys are shared out by 16,384 slots (<https://valkey.io/topics/cluster-spec/>). Which primary has which slots is read
//! when a load begins; what changes meanwhile the nodes say by themselves (`MOVED`, `ASK`). Replicas are not asked: they
//! may be behind.

mod connection;
mod redirection;
mod slots;
mod topology;

pub(crate) use connection::ClusterConnection;
pub(crate) use redirection::Redirection;
pub(crate) use slots::unfit;
pub(crate) use topology::Topology;

/// Redirections of one command that are followed, at most.
pub(crate) const MOST_REDIRECTIONS: u8 = 16;
