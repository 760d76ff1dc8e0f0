"""What is asked of HTTP, and what of SQL only: read with the flags, before anything is begun."""

from __future__ import annotations

import msgspec
import pytest

from weigh.load.comparison.unranked import _only_asks
from weigh.load.config import http
from weigh.load.config.flags import _script
from weigh.model.errors import UsageError

URLS = ("http://a/x", "https://b")


@pytest.mark.parametrize(
    "text",
    [
        "json .big>1",
        "json .rows[-1].id=7",
        "json .a==1",
        "json .a b=1",
        "json .n<=3",
        "json a=1",
        "json .",
        "status 20",
    ],
)
def test_what_looks_like_more_than_it_is_is_refused(text: str) -> None:
    if text == "json .":
        assert http.expected((text,), URLS) == (text,)
        return
    with pytest.raises(UsageError, match="cannot be read"):
        http.expected((text,), URLS)


@pytest.mark.parametrize(
    "text",
    [
        "json .status=ok", "json .rows[0].id!=7", "json .result", "json [1]", "json .a-b.c = x y", "contains a > b",
        "lacks error", "status 200,204,300-399", "json .text=a=b",
    ],
)  # fmt: skip
def test_what_the_generator_reads_is_taken(text: str) -> None:
    assert http.expected((text,), URLS) == (text,)
    assert http.expected((), URLS) is msgspec.UNSET


def test_get_is_asked_of_every_contender_by_http() -> None:
    assert _script("get", URLS).text == "GET"
    with pytest.raises(UsageError, match="valkey://c is none"):
        _script("get", (*URLS, "valkey://c"))
    with pytest.raises(UsageError, match="is SQL"):
        _script("select-only", ("postgres://a/b", *URLS))


def test_answers_that_nobody_asks_are_no_promise() -> None:
    for target in (*URLS, "clickhouse://a", "cassandra://a/k", "valkey:embedded"):
        with pytest.raises(UsageError, match="before the clock"):
            http.need_answers("pin", target)
    for target in ("postgres://a/b", "mysql://a/b", "sqlite:a.db", "postgres:embedded@18"):
        http.need_answers("pin", target)


@pytest.mark.parametrize(
    ("script", "asks"),
    [
        ("GET", True),
        ("\\set id random(1, 10)\nGET /items/:id;\n-- more\nHEAD /;\nOPTIONS *;\n", True),
        ("GET /a;\nPOST /b;\n", False),
        ("GET /a \\gset\nDELETE /b;\n", False),
        ("GET /a\n\\set x 1\nPUT /b;\n", False),
        ("/* GET */ POST /b;", False),
        ("", False),
    ],
)
def test_requests_that_only_ask_are_known_by_their_methods(script: str, asks: bool) -> None:
    assert _only_asks(script) is asks


def test_a_number_beyond_a_double_is_refused() -> None:
    with pytest.raises(UsageError, match="beyond a double"):
        http.expected(("json .n=1e400",), URLS)
    assert http.expected(('json .n="1e400"',), URLS)
