"""The flags of `weigh load` where none was given."""

from __future__ import annotations

from typing import Any

NONE: dict[str, Any] = {
    "rate": None, "arrivals": None, "closed": False, "both": False, "duration": None, "warmup": None,
    "connections": None, "threads": None, "repeats": None, "records": None, "define": (), "fanout": None,
    "max_in_flight": None, "protocol": None, "timeout": None, "error_budget": None, "seed": None, "contention": None,
    "spin": False, "properties": (), "property": (),
    "server_cpus": None, "client_cpus": None, "server_memory": None, "cold": False,
    "expected_interval": None, "warehouses": None,
}  # fmt: skip
