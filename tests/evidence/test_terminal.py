"""Escape codes in every string of evidence: none reaches a terminal or a page in force, whatever command shows it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from fuzz.frame import command
from golden.kept import Kept
from support import evidence_files
from weigh.evidence import journal
from weigh.experiment import record as experiment_record
from weigh.load import record as load_record
from weigh.model.errors import EvidenceFault

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "\x1b[31m\x1b]0;x\x07\x9b2J\u202e\u2066\x7f\x00\r<script>alert(1)</script>"
FORMS = (("report",), ("report", "--verbose"), ("report", "--json"), ("verify",), ("verify", "--json"))
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def spoilt(value: Any, key: str) -> Any:
    """JSON with every string under this key made hostile."""
    if isinstance(value, dict):
        return {
            name: one + HOSTILE if name == key and isinstance(one, str) else spoilt(one, key)
            for name, one in value.items()
        }
    return [spoilt(one, key) for one in value] if isinstance(value, list) else value


def keys(value: Any) -> set[str]:
    if isinstance(value, dict):
        return {name for name, one in value.items() if isinstance(one, str)}.union(*map(keys, value.values()))
    return set().union(*map(keys, value)) if isinstance(value, list) else set()


def write(folder: Path, lines: list[dict[str, Any]]) -> None:
    events = (journal.Event(line["event"], line["body"]) for line in lines)
    (folder / journal.NAME).write_bytes(b"".join(evidence_files.chained(events)))


@pytest.mark.parametrize("name", ["run", "diverged", "load"])
def test_no_string_of_evidence_is_obeyed(name: str, tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    folder = tmp_path / kept.path(name)
    read = load_record.read if name == "load" else experiment_record.read
    lines = [json.loads(line) for line in (folder / journal.NAME).read_bytes().splitlines()]
    done = set()
    for key in sorted(keys([line["body"] for line in lines])):
        changed = [{**line, "body": spoilt(line["body"], key)} for line in lines]
        write(folder, changed)
        try:
            read(folder)
        except EvidenceFault:
            # One of a few words that it may be: refused, and shown to nobody.
            continue
        lines = changed
        done.add(key)
    assert done >= {"weigh", "command", "version"}, "free text of every kind"
    write(folder, lines)
    for words in FORMS:
        command((words[0], str(folder), *words[1:]), tmp_path)
    command(("runs", "--out", str(folder.parent)), tmp_path)
    page = command(("report", str(folder), "--html", "-"), tmp_path).out
    assert "<script>alert(1)" not in page
    assert not _UNSEEN.search(page.replace("\r\n", "\n"))
