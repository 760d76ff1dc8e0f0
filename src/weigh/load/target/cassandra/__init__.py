"""Cassandra and ScyllaDB as targets: a cluster that is there, by the addresses of its nodes."""

from weigh.load.target.cassandra.target import SCHEMES, Cassandra

__all__ = ["SCHEMES", "Cassandra"]
