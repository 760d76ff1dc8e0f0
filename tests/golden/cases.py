"""The commands whose output is kept. ``{name}`` is the evidence of that name (:mod:`golden.kept`)."""

from __future__ import annotations

from typing import NamedTuple

from weigh.cli.data import data
from weigh.cli.history import history
from weigh.cli.main import COMMANDS


class Case(NamedTuple):
    """A command.

    Attributes:
        name: of the file that holds what is expected.
        words: the command line without ``weigh``.
    """

    name: str
    words: tuple[str, ...]

    @property
    def page(self) -> bool:
        """Whether it prints a page, which is kept as one."""
        return self.words[-2:] == ("--html", "-")

    @property
    def file(self) -> str:
        """Where what is expected lies."""
        return f"{self.name}.html" if self.page else f"{self.name}.txt"


def _case(name: str, *words: str) -> Case:
    return Case(name, words)


def _forms(command: str, name: str, *words: str, forms: tuple[str, ...] = ("text", "json", "html")) -> list[Case]:
    """A command in several forms."""
    more: dict[str, tuple[str, ...]] = {"text": (), "json": ("--json",), "html": ("--html", "-")}
    return [_case(f"{command}/{name}-{form}", command, *words, *more[form]) for form in forms]


def _alternating(tool: str, ending: str = "") -> tuple[str, ...]:
    """Six files of each of two contenders, made in turn."""
    return tuple(f"judge/{tool}/alternating/{one}{at}{ending}" for at in range(1, 7) for one in ("old", "new"))


_RUN, _TEXT, _TWO = ("run", "diverged", "refused", "both", "clickhouse", "precision"), ("text",), ("text", "json")
_HYPERFINE = tuple(f"judge/hyperfine/alternating/block{number:02}.json" for number in range(1, 11))
_PYPERF = _alternating("pyperf", ".json")
_GOOGLE = _alternating("google-benchmark", ".json")
_GO = ("judge/go/alternating/old.txt", "judge/go/alternating/new.txt")
_DUCKDB = ("--contender", "duckdb@2.0.0")
_SERVER = ("--contender", "pg=postgres?weigh.url=postgresql://me@db.example:5432/bench")
_DATA = tuple(f"data {name}" for name in data.commands)
_HISTORY = tuple(f"history {name}" for name in history.commands)

CASES = (
    # weigh report
    *(case for name in _RUN for case in _forms("report", name, f"{{{name}}}")),
    *_forms("report", "agreed", "{agreed}"),
    *_forms("report", "ranked", "{ranked}"),
    _case("report/ranked-markdown", "report", "{ranked}", "--markdown"),
    _case("report/page-to-a-file", "report", "{agreed}", "--html", "page.html"),
    _case("report/agreed-verbose", "report", "{agreed}", "--verbose"),
    *(_case(f"report/{name}-notes", "report", f"{{{name}}}", "--notes") for name in ("run", "load")),
    *(_case(f"report/{name}-markdown", "report", f"{{{name}}}", "--markdown") for name in ("run", "diverged")),
    *_forms("report", "again", "{again}", forms=_TEXT),
    *_forms("report", "few", "{few}", forms=_TEXT),
    *_forms("report", "failed", "{failed}", forms=_TEXT),
    *_forms("report", "contended", "{contended}", forms=_TEXT),
    *_forms("report", "killed", "{killed}", forms=_TEXT),
    *_forms("report", "ladder", "{ladder}"),
    *_forms("report", "climbed", "{climbed}"),
    *_forms("report", "load", "{load}"),
    _case("report/load-verbose", "report", "{load}", "--verbose"),
    _case("report/load-markdown", "report", "{load}", "--markdown"),
    *_forms("report", "stalled", "{stalled}", forms=_TEXT),
    *_forms("report", "repeated", "{repeated}", forms=_TEXT),
    *_forms("report", "killed-load", "{killed-load}", forms=_TEXT),
    *_forms("report", "wrong-load", "{wrong-load}", forms=_TEXT),
    *_forms("report", "servers", "{servers}"),
    _case("report/servers-notes", "report", "{servers}", "--notes"),
    _case("report/servers-markdown", "report", "{servers}", "--markdown"),
    *_forms("report", "unequal-servers", "{unequal-servers}", forms=_TEXT),
    # weigh export
    *(
        _case(f"export/{name}-{form}", "export", f"{{{name}}}", "--format", form)
        for name, form in (("run", "junit"), ("diverged", "junit"), ("run", "openmetrics"), ("run", "csv"))
    ),
    _case("export/load-junit", "export", "{load}", "--format", "junit"),
    _case("export/nobody", "export", "{run}", "--format", "csv", "--contender", "nobody"),
    # weigh verify
    *_forms("verify", "agreed", "{agreed}", forms=_TEXT),
    *_forms("verify", "ranked", "{ranked}", forms=_TEXT),
    *_forms("verify", "precision", "{precision}", forms=_TEXT),
    *_forms("verify", "run", "{run}", forms=_TWO),
    *_forms("verify", "edited", "{edited}", forms=_TWO),
    *_forms("verify", "forged", "{forged}", forms=_TWO),
    *_forms("verify", "ladder", "{ladder}", forms=_TWO),
    *_forms("verify", "ladder-edited", "{edited-ladder}", forms=_TEXT),
    *_forms("verify", "load", "{load}", forms=_TWO),
    *_forms("verify", "servers", "{servers}", forms=_TEXT),
    *_forms("verify", "load-edited", "{edited-load}", forms=_TWO),
    *_forms("verify", "damaged", "{damaged}", forms=_TEXT),
    _case("verify/sql", "verify", "{run}", "--print-sql"),
    # weigh compare
    *_forms("compare", "slower", "{monday}", "{tuesday}", forms=_TWO),
    _case("compare/slower-html", "compare", "{monday}", "{tuesday}", "--html", "-"),
    _case("compare/one-session", "compare", "{monday}", "{monday}"),
    *_forms("compare", "other-settings", "{monday}", "{agreed}", forms=_TEXT),
    *_forms("compare", "across-hosts", "{monday}", "{elsewhere}", "--across-hosts", forms=_TEXT),
    _case("compare/other-host", "compare", "{monday}", "{elsewhere}"),
    _case("compare/other-data", "compare", "{monday}", "{other_data}"),
    # weigh judge
    *_forms("judge", "fixed-order", "judge/hyperfine/fixed-order.json", "--strict", forms=_TWO),
    *_forms("judge", "hyperfine", "--baseline", "old", *_HYPERFINE, "--rule", "clickhouse", forms=_TWO),
    _case("judge/hyperfine-html", "judge", *_HYPERFINE, "--html", "-"),
    _case("judge/fixed-order-html", "judge", "judge/hyperfine/fixed-order.json", "--html", "-"),
    _case("judge/hlog-html", "judge", "judge/hlog/rate.hlog", "--html", "-"),
    _case("judge/other-bounds", "judge", *_HYPERFINE, "--margin", "5%", "--confidence", "0.95", "--json"),
    *_forms("judge", "failing", "judge/hyperfine/failing.json", forms=_TEXT),
    *_forms("judge", "pyperf", *_PYPERF, forms=_TEXT),
    *_forms("judge", "google-benchmark", *_GOOGLE, forms=_TEXT),
    *_forms("judge", "google-repetitions", "judge/google-benchmark/repetitions.json", forms=_TEXT),
    *_forms("judge", "google-aggregates", "judge/google-benchmark/aggregates.json", forms=_TEXT),
    *_forms("judge", "pytest-benchmark", *_alternating("pytest-benchmark", ".json"), forms=_TEXT),
    *_forms("judge", "criterion", "--interleaved", *_alternating("criterion"), forms=_TEXT),
    *_forms("judge", "jmh", *_alternating("jmh", ".json"), forms=_TEXT),
    *_forms("judge", "k6", *_alternating("k6", ".json"), forms=_TEXT),
    *_forms("judge", "k6-summary", "judge/k6/summary.json", forms=_TEXT),
    *_forms("judge", "go", *_GO, forms=_TEXT),
    *_forms("judge", "go-interleaved", "--interleaved", *_GO, forms=_TEXT),
    *_forms("judge", "pgbench", "judge/pgbench/threads.101", "judge/pgbench/threads.101.1", forms=_TWO),
    *_forms("judge", "pgbench-skipped", "judge/pgbench/skipped.103", forms=_TEXT),
    *_forms("judge", "pgbench-aggregated", "judge/pgbench/aggregated.104", forms=_TEXT),
    *_forms("judge", "hlog", "judge/hlog/rate.hlog", forms=_TEXT),
    *_forms("judge", "two-tools", "judge/hyperfine/fixed-order.json", "judge/go/count.txt", forms=_TEXT),
    _case("judge/unknown-format", "judge", "--format", "hyperfin", "judge/hyperfine/fixed-order.json"),
    _case("judge/unknown-baseline", "judge", "--baseline", "odl", "judge/hyperfine/fixed-order.json"),
    _case("judge/no-file", "judge"),
    _case("judge/cut-file", "judge", "cut.json"),
    # catalogues
    *(case for name in ("engines", "workloads", "lies") for case in _forms(name, name, forms=_TWO)),
    # help
    _case("help/weigh", "--help"),
    _case("help/no-command"),
    *(
        _case(f"help/{name.replace(' ', '-')}", *name.split(), "--help")
        for name in (*COMMANDS, "ladder --load", "workloads audit", *_DATA, *_HISTORY)
    ),
    # mistakes
    _case("mistakes/command", "runn"),
    _case("mistakes/flag", "run", "--sede", "4"),
    _case("mistakes/unlike-any-command", "xyzzy"),
    _case("mistakes/command-of-data", "data", "digst"),
    _case("mistakes/no-contender", "gate"),
    _case("mistakes/no-such-file", "gate", "nope.toml"),
    _case("mistakes/workload-as-file", "run", "tpch"),
    _case("mistakes/engine", "gate", "--contender", "duckbd"),
    _case("mistakes/unlike-any-contender", "gate", "--contender", "not a contender"),
    _case("mistakes/one-name-twice", "gate", *_DUCKDB, *_DUCKDB),
    _case("mistakes/baseline", "gate", *_DUCKDB, "--baseline", "duckdb@2.0"),
    _case("mistakes/workload", "gate", *_DUCKDB, "--workload", "netflwo"),
    _case("mistakes/temperature", "run", *_DUCKDB, "--temperature", "cool"),
    _case("mistakes/cold-server", "run", *_DUCKDB, *_SERVER, "--temperature", "cold"),
    _case("mistakes/hot-and-cold-server", "run", *_DUCKDB, *_SERVER, "--temperature", "both"),
    _case("mistakes/cold-ladder", "ladder", *_DUCKDB, "--temperature", "cold"),
    _case("mistakes/report-of-nothing", "report", "nope"),
    _case("mistakes/report-of-an-empty-journal", "report", "{empty}"),
    _case("mistakes/report-of-a-damaged-journal", "report", "{damaged}"),
    _case("mistakes/report-in-two-forms", "report", "{agreed}", "--html", "-", "--json"),
    _case("mistakes/page-that-cannot-be-written", "report", "{agreed}", "--html", "missing/page.html"),
    _case("mistakes/verify-of-nothing", "verify", "nope"),
    _case("mistakes/verify-of-another-folder", "verify", "."),
    _case("mistakes/verify-without-a-seal", "verify", "{killed}"),
    _case("mistakes/sql-of-a-ladder", "verify", "{ladder}", "--print-sql"),
    _case("mistakes/compare-with-nothing", "compare", "{monday}", "nope"),
)
