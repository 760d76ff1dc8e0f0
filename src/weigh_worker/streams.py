"""Streams: statements in sequence, several sequences at the same moment, each in a session of its own.

A plan is a JSON file: ``{"streams": [{"name": "1", "steps": [{"name": "q14", "sql": ...}]}]}``. A step with
``statements`` in the place of ``sql`` changes the tables, in one transaction. A stream with ``"watches": true`` asks
its one query again and again until all others have ended. Answers are held in memory until every stream has ended: to
write them is no part of a stream's time.
"""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh_worker.adapter import Adapter, Session

_now = time.perf_counter
_PAUSE = 0.001
_MOST_WATCHED = 2000


def run(engine: Adapter, plan: str, folder: str, write: Callable[[Any, str], None]) -> list[dict[str, Any]]:
    """Execute a plan.

    Args:
        engine: opened, with its tables.
        plan: path of the file.
        folder: where answers go, as ``<stream>-<position>.arrow``.
        write: writes an answer to a path.

    Returns:
        A step each: ``stream``, ``name``, ``began`` and ``ended`` in seconds since the common start, ``rows``,
        ``answer`` with the name of its file, and ``error`` with what an exception said. A stream ends with its first
        error.
    """
    streams = json.loads(Path(plan).read_text())["streams"]
    sessions = [engine.session() for _ in streams]
    start = threading.Barrier(len(streams) + 1)
    working = [one for one in streams if not one.get("watches")]
    left, lock, done = [len(working)], threading.Lock(), threading.Event()
    found: list[list[dict[str, Any]]] = [[] for _ in streams]
    answers: list[tuple[dict[str, Any], Session, Any]] = []
    began = [0.0]

    def step(session: Session, stream: str, one: dict[str, Any], into: list[dict[str, Any]]) -> bool:
        made: dict[str, Any] = {"stream": stream, "name": one["name"], "rows": 0, "answer": "", "error": ""}
        made["began"] = _now() - began[0]
        answer = None
        try:
            if "statements" in one:
                session.change(one["statements"])
            else:
                made["rows"], answer = session.ask(one["sql"])
        except Exception as error:
            made["error"] = f"{type(error).__name__}: {error}"[:1000]
        made["ended"] = _now() - began[0]
        into.append(made)
        if answer is not None:
            with lock:
                answers.append((made, session, answer))
        return not made["error"]

    def stream(at: int) -> None:
        one, session, into = streams[at], sessions[at], found[at]
        start.wait()
        if one.get("watches"):
            while not done.is_set() and len(into) < _MOST_WATCHED and step(session, one["name"], one["steps"][0], into):
                time.sleep(_PAUSE)
            return
        for each in one["steps"]:
            if not step(session, one["name"], each, into):
                break
        with lock:
            left[0] -= 1
            if not left[0]:
                done.set()

    threads = [threading.Thread(target=stream, args=(at,), daemon=True) for at in range(len(streams))]
    for thread in threads:
        thread.start()
    began[0] = _now()
    start.wait()
    for thread in threads:
        thread.join()
    for number, (made, session, answer) in enumerate(answers):
        made["answer"] = f"{made['stream']}-{number}.arrow"
        write(session.answer(answer), str(Path(folder) / made["answer"]))
    for session in sessions:
        session.close()
    return [made for steps in found for made in steps]
