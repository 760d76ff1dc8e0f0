"""E3: object storage assumed slower, or faster, than a disk; or objects that are not read at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from weigh.experiment import record

from ..reading import ONCE, codes, contenders, errors, statuses, timed

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.command import Run, Weigh
    from support.once import Once

NAMED = (
    "local=liar@1.5.5",
    "honest=liar@1.5.5?store=s3",
    "downloads=liar@1.5.5?lie=downloads&store=s3",
    "cached=liar@1.5.5?store=s3&enable_external_file_cache=true",
)


@pytest.fixture(scope="session")
def stored(fresh: Callable[[], Weigh], once: Once) -> Run:
    """One engine that reads files, objects, a copy of objects that it made beforehand, and objects that it keeps."""
    flags = ("--scale", "1K", "--operations", "by_action", *ONCE, "--quiet", "--json")
    return once("stored", lambda: fresh()("run", *contenders(*NAMED), *flags, "--no-truth"))


def requests(run: Run, contender: str) -> dict[str, Any]:
    """What its executions asked for."""
    (found,) = (one for one in run.json["objects"]["requests"] if one["contender"] == contender)
    return dict(found)


def said(run: Run, code: str) -> dict[str | None, str]:
    """Severity of the findings with a code, by contender."""
    return {f["contender"]: f["severity"] for f in run.json["findings"] if f["code"] == code}


@pytest.mark.promise("Who reads nothing from its store while the clock runs is named (`E3.cached`).")
def test_who_reads_a_copy_or_a_cache_in_place_of_the_store_is_named(stored: Run) -> None:
    assert said(stored, "E3.cached") == {"downloads": "warning", "cached": "warning"}
    assert requests(stored, "downloads")["gets"] == 0
    assert requests(stored, "cached")["bytes"] == 0
    assert "E3.cached" in codes(stored)


def test_who_holds_its_own_copy_is_named_for_that_too(stored: Run) -> None:
    assert "downloads" in said(stored, "D9.copy")
    assert "honest" not in said(stored, "D9.copy")


def test_who_reads_the_objects_each_time_is_not_accused(stored: Run) -> None:
    honest = requests(stored, "honest")
    assert honest["gets"] > 0
    assert honest["bytes"] > 0
    assert honest["failed"] == 0
    assert honest["peak"] >= 1
    accusing = {f["code"] for f in stored.json["findings"] if f["contender"] == "honest" and f["severity"] != "note"}
    assert not {code for code in accusing if not code.startswith(("X", "E4", "E5"))}
    assert not errors(stored)
    assert set(statuses(stored).values()) == {"unverified"}
    assert ("honest", "by_action") in timed(stored)


@pytest.mark.promise("Every report says so (`E3.loopback`).")
def test_a_store_of_weighs_own_is_called_a_loopback_store(stored: Run) -> None:
    assert said(stored, "E3.loopback") == {None: "note"}
    (store,) = stored.json["objects"]["stores"]
    assert store["server"].startswith("SeaweedFS")
    assert store["contenders"] == ["honest", "downloads", "cached"]


def test_the_store_is_what_differs(stored: Run) -> None:
    differing = {(one["contender"], one["what"], one["value"]) for one in stored.json["differences"]}
    assert {(name, "store", "s3") for name in ("honest", "downloads", "cached")} <= differing
    assert said(stored, "E3.store")["honest"] == "note"


def test_keys_are_nowhere_in_the_evidence(stored: Run) -> None:
    """Those of the store and those of lives are made up for the run; their names would stand alongside them."""
    text = "".join(path.read_text(errors="replace") for path in stored.evidence.iterdir() if path.is_file())
    for word in ("access_key", "secret_key", "WEIGH_", "AWS4-HMAC"):
        assert word not in text
    kept = record.read(stored.evidence)
    assert {one.contender for one in kept.requests} == {"honest", "downloads", "cached"}
