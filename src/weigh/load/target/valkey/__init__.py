"""Valkey and Redis as targets: one server or a cluster, their rows."""
