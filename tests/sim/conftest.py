"""Marks of the simulations."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long: more replicates than fit into `make test`")
