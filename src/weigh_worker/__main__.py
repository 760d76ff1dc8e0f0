"""``python -m weigh_worker FD``: serve one engine over the inherited socket until told to close."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import importlib.util
import json
import math
import os
import re
import signal
import socket
import sys
from pathlib import Path
from typing import Any

from weigh_worker import protocol
from weigh_worker.adapter import Adapter, Unsupported, without_secrets
from weigh_worker.compiled import ADAPTER, Compiled
from weigh_worker.meter import meter

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_LARGEST = 1 << 63
"""Whole numbers from here on are text in JSON: not every reader has larger ones."""


class Worker:
    """Carries out requests on one adapter."""

    def __init__(self) -> None:
        self.adapter: Adapter | None = None
        self.meter = meter()
        self.given: list[str] = []
        self.place: Path | None = None
        self.loading = False
        self.listener = -1

    def carry_out(self, request: protocol.Message) -> protocol.Message:
        """The reply to one request; an engine's exception becomes an ``error``."""
        try:
            handler = getattr(self, f"on_{request['do']}")
            reply: protocol.Reply = handler(**{key: value for key, value in request.items() if key != "do"})
        except (KeyboardInterrupt, SystemExit):
            raise
        # The panic of an extension in Rust is no Exception, and ends nothing.
        except BaseException as error:
            text = without_secrets(str(error))[:4000]
            reply = protocol.ErrorReply(kind=self._classified(error), type=type(error).__name__, text=text)
        return reply.message()

    def _classified(self, error: BaseException) -> protocol.Kind:
        """The adapter's word; one that fails over it has not said anything."""
        try:
            kind = self.adapter.classify(error) if self.adapter else "error"
        except Exception:
            return "error"
        return next((known for known in protocol.KINDS if known == kind), "error")

    @property
    def engine(self) -> Adapter:
        """The opened adapter."""
        if self.adapter is None:
            raise RuntimeError("no engine is open")
        return self.adapter

    def on_decide(self) -> protocol.DecideReply:
        """Have weigh decide from now on what is done to others."""
        # Not where nobody asks: of what a life imports its start is made.
        from weigh_worker import calls

        self.listener = calls.listen()
        return protocol.DecideReply(listener=self.listener)

    def on_open(
        self,
        adapter: str,
        settings: dict[str, Any],
        scratch: str,
        compiled: str = "",
        affinity: list[int] | None = None,
        ingests: bool = False,
        confined: dict[str, Any] | None = None,
        part: str = "",
    ) -> protocol.Reply:
        """Load the adapter module, or a part of it, and begin the engine's life, on these CPUs or on all, confined."""
        if self.listener >= 0:
            # Before anything of others is loaded, which could decide for itself.
            os.close(self.listener)
        if affinity:
            # Engines count the CPUs when they are imported.
            os.sched_setaffinity(0, affinity)
        # Of this process, which has one engine.
        Adapter.ingests = ingests
        if confined is not None:
            if confined["bounded"]:
                # Not before it is needed, and before the engine has a thread that would not be confined.
                from weigh_worker import confinement

                policy = confinement.Policy(tuple(confined["read"]), tuple(confined["write"]), confined["network"])
                confinement.confine(policy)
            Adapter.confined = (*confined["read"], *confined["write"])
        found = Compiled(Path(compiled)) if compiled else None
        spec = (found and found.find_spec(ADAPTER)) or importlib.util.spec_from_file_location(ADAPTER, adapter)
        if spec is None or spec.loader is None:
            raise ImportError(f"no adapter module at {adapter}")
        module = importlib.util.module_from_spec(spec)
        # An adapter may be a package: its own modules look for it here.
        sys.modules[spec.name] = module
        if found:
            sys.meta_path.insert(0, found)
        spec.loader.exec_module(module)
        if part:
            module = importlib.import_module(f"{ADAPTER}.{part}")
        self.adapter = module.Engine(settings, scratch)
        self.meter.keep()
        return protocol.Reply()

    def on_bind(
        self,
        tables: dict[str, list[str]],
        catalog: dict[str, Any] | None = None,
        store: dict[str, str] | None = None,
    ) -> protocol.Reply:
        """Make the tables visible; those of a store are objects, and no files."""
        if store:
            _go_directly(store["ca"])
            self.engine.reach(store)
        if catalog is None:
            self.engine.bind(tables)
        else:
            self.engine.bind_catalog(catalog["kind"], catalog["locations"])
        self.given = [] if store else [path for paths in tables.values() for path in paths]
        self.meter.settle()
        return protocol.Reply()

    def on_load(self, tables: dict[str, list[str]], copy: str) -> protocol.Reply:
        """Make the engine's own copy of the tables."""
        self.engine.load(tables, copy)
        return protocol.Reply()

    def on_attach(self, copy: str, tables: list[str]) -> protocol.Reply:
        """Make the tables of a copy visible."""
        self.engine.attach(copy, tables)
        self.given = [str(path) for path in sorted(Path(copy).rglob("*")) if path.is_file()]
        self.meter.settle()
        return protocol.Reply()

    def on_begin_ingest(self, table: str, paths: list[str], place: str) -> protocol.GuaranteeReply:
        """Make the next run one that loads; what the one before it loaded is removed."""
        before, self.place = self.place, Path(place)
        self.engine.begin_ingest(table, paths, place)
        if before is not None:
            # Not before it is needed: what a life imports decides how long its start takes.
            import shutil

            shutil.rmtree(before, ignore_errors=True)
        else:
            self.meter.settle()
        self.loading = True
        durable, by = self.engine.guarantee()
        return protocol.GuaranteeReply(durable=durable, by=str(by))

    def on_stored(self, path: str) -> protocol.Reply:
        """Write every row of the table that was loaded to ``path`` as an Arrow IPC stream."""
        write_answer(self.engine.stored(), path)
        return protocol.Reply()

    def on_write_to(self, tables: dict[str, list[str]], place: str, statements: list[str]) -> protocol.Reply:
        """Make tables that can be changed."""
        self.engine.write_to(tables, place, statements)
        self.meter.settle()
        return protocol.Reply()

    def on_streams(self, plan: str, folder: str) -> protocol.StreamsReply:
        """Execute sequences of statements at the same moment."""
        # Not before it is needed, as above.
        from weigh_worker import streams

        self.meter.collect()
        return protocol.StreamsReply(steps=streams.run(self.engine, plan, folder, write_answer))

    def on_files(self) -> protocol.FilesReply:
        """The files that hold the tables' data."""
        files_open = self.engine.files()
        if files_open is None and self.place is not None:
            files_open = [str(path) for path in sorted(self.place.rglob("*")) if path.is_file()]
        return protocol.FilesReply(paths=self.given if files_open is None else [str(path) for path in files_open])

    def on_servers(self) -> protocol.ServersReply:
        """What works for the engine alongside its own process and its queries."""
        engine = self.engine
        return protocol.ServersReply(
            pids=[int(pid) for pid in engine.servers()],
            background=str(engine.background),
            elsewhere=bool(engine.elsewhere),
        )

    def on_lacking(self) -> protocol.LackingReply:
        """What its tables are without."""
        columns = {str(table): dict(of) for table, of in self.engine.lacking.items()}
        return protocol.LackingReply(columns=columns)

    def on_prepare(self, sql: str, partial: bool = False) -> protocol.Reply:
        """Take the next query."""
        self.loading = False
        for name, error in self.engine.unreadable.items():
            if re.search(rf"\b{re.escape(name)}\b", sql, re.IGNORECASE):
                raise error
        if self.engine.lacking and not partial:
            # Not before it is needed, as above.
            from weigh_worker import left_out

            if why := left_out.refusal(sql, self.engine.lacking):
                raise Unsupported(why)
        self.engine.prepare(sql)
        return protocol.Reply()

    def on_release(self) -> protocol.Reply:
        """Free the previous result, and leave no garbage that would be collected under the clock."""
        self.engine.release()
        self.meter.collect()
        return protocol.Reply()

    def on_run(self) -> protocol.RunReply:
        """Execute under the clock."""
        engine = self.engine
        measured = self.meter.measure(engine.ingest if self.loading else engine.run)
        rows = measured.rows
        # An adapter is a plug-in, and nobody has checked the types that it promises.
        if not isinstance(rows, int) or rows < 0:
            raise TypeError(f"{'ingest' if self.loading else 'run'}() must return the number of rows, not {rows!r}")
        cpu_s = None if engine.elsewhere else measured.cpu_s
        return protocol.RunReply(wall_s=measured.wall_ns / 1e9, rows=rows, cpu_s=cpu_s)

    def on_statistics(self) -> protocol.StatisticsReply:
        """What the system reports of the last run."""
        return protocol.StatisticsReply(**self.engine.statistics()._asdict())

    def on_answer(self, path: str) -> protocol.Reply:
        """Write the last result to ``path`` as an Arrow IPC stream."""
        write_answer(self.engine.answer(), path)
        return protocol.Reply()

    def on_profile(self) -> protocol.ProfileReply:
        """Execute once under the engine's own profiler."""
        profile = self.engine.profile()
        return protocol.ProfileReply(
            plan=profile.get("plan"),
            counters={str(name): float(value) for name, value in (profile.get("counters") or {}).items()},
            raw=str(profile.get("raw") or ""),
            lacks=str(profile.get("lacks") or ""),
        )

    def on_repeat(self, seconds: float, interval: float) -> protocol.RepeatReply:
        """Execute for so long, and say where the time went."""
        # Not before it is needed, as above.
        from weigh_worker import profiling

        return profiling.repeat(self.engine, seconds, interval)

    def on_settings(self, names: list[str] | None = None) -> protocol.SettingsReply:
        """Read the settings back from the running engine; of some all that is asked for are these."""
        read = self.engine.settings() if names is None else self.engine.settings_of(names)
        return protocol.SettingsReply(
            values={str(name): {key: _scalar(value) for key, value in one.items()} for name, one in read.items()}
        )

    def on_version(self) -> protocol.VersionReply:
        """Read the version back from the running engine."""
        return protocol.VersionReply(engine=str(self.engine.version()), python=sys.version.split()[0])

    def on_close(self) -> protocol.CloseReply:
        """End the engine's life; the worker exits after its reply."""
        if self.adapter:
            self.adapter.close()
        return protocol.CloseReply()


def _go_directly(ca: str) -> None:
    """What clients of object stores read from the environment: no proxy of others, and whom to believe."""
    for name in ("NO_PROXY", "no_proxy"):
        os.environ[name] = "127.0.0.1,localhost"
    if ca:
        os.environ["SSL_CERT_FILE"] = ca


def _scalar(value: Any) -> protocol.Scalar:
    """A setting as JSON has it; what JSON does not have is text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value if abs(value) < _LARGEST else str(value)
    return value if value is None or isinstance(value, (str, bool)) else str(value)


def write_answer(answer: Any, path: str) -> None:
    """Write an answer as an Arrow IPC stream without pyarrow."""
    if isinstance(answer, (bytes, bytearray, memoryview)):
        Path(path).write_bytes(answer)
        return
    from nanoarrow.ipc import StreamWriter

    try:
        with StreamWriter.from_path(path) as writer:
            writer.write_stream(answer)
    except Exception as error:
        # Its writer lacks a few types, such as string views.
        raise TypeError(f"{error}; let answer() return Arrow IPC stream bytes for these types") from error


def main() -> None:
    """Serve until ``close`` or until weigh is gone."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    # A killed weigh must not leave a query running that disturbs the next measurement.
    prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # What detaches itself from the engine stays in this family, and ends with it.
    prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    channel = socket.socket(fileno=int(sys.argv[1]))
    worker = Worker()
    # What an engine's import makes stays: until it has replied, nobody looks through it for garbage.
    gc.disable()
    with contextlib.suppress(protocol.Disconnected):
        while True:
            reply = worker.carry_out(json.loads(protocol.receive(channel)))
            protocol.send(channel, reply)
            # Off since before the clock: a collection before the reply would lie between the two clocks.
            worker.meter.resume()
            if reply.get("closed"):
                break
    # Engines with threads of their own may hang in their destructors; nothing is left to save.
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
