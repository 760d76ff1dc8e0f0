"""Orders of the streams of TPC-DS against those that are published: appendix D of its specification."""

from __future__ import annotations

import pytest

from weigh.workloads.tpcds.order import QUERIES, order

PUBLISHED = {
    0: (96, 7, 75, 44, 39, 80, 32, 19, 25, 78),
    1: (83, 32, 30, 92, 66, 84, 98, 58, 16, 77),
    2: (56, 98, 59, 24, 88, 2, 5, 6, 27, 87),
}


@pytest.mark.parametrize(("stream", "begins"), PUBLISHED.items())
def test_a_stream_begins_as_published(stream: int, begins: tuple[int, ...]) -> None:
    assert order(stream)[: len(begins)] == begins


def test_every_stream_has_every_query_once_and_none_the_order_of_another() -> None:
    orders = [order(stream) for stream in range(41)]
    assert all(sorted(one) == list(range(1, QUERIES + 1)) for one in orders)
    assert len(set(orders)) == len(orders)
