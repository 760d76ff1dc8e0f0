"""DuckDB behind an adapter that lies as its setting ``lie`` says. Runs in the worker, as every adapter does.

Each lie is the honest adapter with one method replaced, so that a liar and its honest twin (``lie=none``) differ in
what its class says and in nothing else.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .honest import OURS
from .honest import Engine as Honest

LIES: dict[Any, str] = {
    "none": "honest.Engine",
    "objects": "stores.Stored",
    "downloads": "stores.Downloads",
    "forty-two": "answers.FortyTwo",
    "absent": "answers.Absent",
    "group": "answers.Group",
    "last-row": "answers.LastRow",
    "duplicates": "answers.Duplicates",
    "race": "answers.Race",
    "nearly": "nearly.Nearly",
    "nearly-too": "nearly.NearlyToo",
    "untied": "nearly.Untied",
    "rounding": "answers.Rounding",
    "late": "answers.Late",
    "other-forms": "forms.OtherForms",
    "wrong-forms": "forms.WrongForms",
    "two-units": "forms.TwoUnits",
    "odd-forms": "odd_types.OddForms",
    "odd-counts": "odd_types.OddCounts",
    "odd-values": "odd_types.OddValues",
    "fewer-rows": "data.FewerRows",
    "copy": "data.Copy",
    "stale-copy": "data.StaleCopy",
    "keeps": "data.Keeps",
    "compacts": "data.Compacts",
    "commits": "data.Commits",
    "lazy": "clock.Lazy",
    "lazy-in-memory": "clock.LazyInMemory",
    "background": "clock.Background",
    "slow-conversion": "clock.SlowConversion",
    "early": "clock.Early",
    "planner": "clock.Planner",
    "cache": "memory.Cache",
    "cache-groups": "memory.OnlyGroups",
    "cache-folded": "memory.Folded",
    "cache-waits": "memory.Waits",
    "cache-fetched": "memory.Fetched",
    "cache-later": "memory.Later",
    "cache-on-disk": "memory.OnDisk",
    "compiles": "memory.Compiles",
    "slow-clock": "boundary.SlowClock",
    "rewritten-clock": "boundary.RewrittenClock",
    "wire": "boundary.Wire",
    "in-release": "boundary.InRelease",
    "in-collector": "boundary.InCollector",
    "helped": "boundary.Helped",
    "compiles-first": "boundary.CompilesFirst",
    "leaves": "boundary.Leaves",
    "trickles": "boundary.Trickles",
    "table": "elsewhere.Table",
    "old-rows": "elsewhere.OldRows",
    "truth": "elsewhere.Truth",
    "knows": "elsewhere.Knows",
    "pace": "pace.Pace",
    "laid-out": "laid_out.LaidOut",
    "slowed": "slowed.Slowed",
    "work": "work.Work",
    "neighbour": "others.Neighbour",
    "release": "outside.Release",
    "collector": "outside.Collector",
    "ahead": "outside.Ahead",
    "child": "outside.Child",
    "prepare-in-child": "outside.PrepareInChild",
    "daemon": "outside.Daemon",
    "burns": "outside.Burns",
    "helper": "outside.Helper",
    "compiler": "outside.Compiler",
    "compaction": "outside.Compaction",
    "own-server": "outside.OwnServer",
    "false-server": "outside.FalseServer",
    "false-version": "outside.FalseVersion",
    "in-memory": "outside.InMemory",
    "sums": "outside.Sums",
    "other-files": "outside.OtherFiles",
    "extra-thread": "share.ExtraThread",
    "extra-cpu": "share.ExtraCpu",
    "extra-cpu-thread": "share.ExtraCpuThread",
    "extra-nice": "share.ExtraNice",
    "extra-real-time": "share.ExtraRealTime",
    "spill-elsewhere": "share.SpillElsewhere",
    "ingests": "ingest.Ingests",
    "ingest-loses": "ingest.Loses",
    "ingest-rounds": "ingest.Rounds",
    "ingest-later": "ingest.Later",
    "ingest-early": "ingest.Early",
    "ingest-nothing": "ingest.Nothing",
    "ingest-careless": "ingest.Careless",
    "slow": "misbehaving.Slow",
    "fails": "misbehaving.Fails",
    "silent": "misbehaving.Silent",
    "refuses": "misbehaving.Refuses",
    "hang": "misbehaving.Hang",
    "hang-in-bind": "misbehaving.HangInBind",
    "crash": "misbehaving.Crash",
    "killed": "misbehaving.Killed",
    "exits": "misbehaving.Exits",
    "exhausts": "misbehaving.Exhausts",
    "chatty": "misbehaving.Chatty",
    "huge": "misbehaving.Huge",
    "garbage": "misbehaving.Garbage",
}
"""Module and class of each: a life imports its own lie, as what it imports decides what its start costs."""


def Engine(settings: dict[str, Any], scratch: str) -> Honest:
    """What the worker opens; which lie it gets is a setting."""
    module, _, name = LIES[settings.get("lie", OURS["lie"])].partition(".")
    made: Honest = getattr(import_module(f".{module}", __name__), name)(settings, scratch)
    return made
