"""Names, plans, functions and messages of others are text wherever they are shown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from support.hostile_records import HOSTILE
from weigh.experiment.profile.counters import CounterChange
from weigh.experiment.profile.files import SCATTER, page
from weigh.experiment.profile.plans import OperatorChange
from weigh.experiment.profile.results import ProfiledChange, WhyResults
from weigh.experiment.profile.stacks import FunctionChange, Functions
from weigh.experiment.profile.terminal import report
from weigh.render.svg.flame_graph import flame_graph
from weigh.render.svg.scatter import scatter
from weigh.render.terminal import plain_text

if TYPE_CHECKING:
    from pathlib import Path

EVIL = f"</script>{HOSTILE}\x1b[31m\x9b2J"


def found() -> WhyResults:
    """A profile in which everything that comes from outside is hostile."""
    operator = OperatorChange(
        name=EVIL, detail=EVIL, depth=900, there="both", before_s=0.001, after_s=0.002, change_s=0.001,
        before_rows=1, after_rows=2, clear=True,
    )  # fmt: skip
    function = FunctionChange(name=EVIL, before_s=0.0, after_s=0.01, change_s=0.01, clear=True)
    change = ProfiledChange(
        operation=EVIL, case=EVIL, baseline=EVIL, contender=EVIL, verdict="slower", ratio=1.3, before_s=0.01,
        after_s=0.013, profiled_executions=6, profiled_s=(0.01, 0.013), operators=(operator,), operators_lack=EVIL,
        counters=(CounterChange(name=EVIL, before=1.0, after=2.0),),
        functions=(
            Functions(kind="python", lacks="", unknown=(0.0, 0.1), changes=(function,)),
            Functions(kind="native", lacks=EVIL, unknown=(None, None)),
        ),
        folder="1-evil",
    )  # fmt: skip
    failed = ProfiledChange(
        operation=EVIL, case="", baseline=EVIL, contender=EVIL, verdict=None, ratio=None, before_s=None, after_s=None,
        failed=EVIL,
    )  # fmt: skip
    return WhyResults(
        evidence=EVIL, notice=EVIL, notes=(EVIL,), changes=(change, failed), left_out={EVIL: (EVIL, EVIL)}
    )


def test_a_page_with_hostile_texts_runs_and_loads_nothing(tmp_path: Path) -> None:
    (tmp_path / "1-evil").mkdir()
    graph = flame_graph({EVIL: 0.01}, {f"{EVIL};{EVIL}": 0.02}, EVIL)
    (tmp_path / "1-evil" / "flame.python.contender.svg").write_text(graph)
    (tmp_path / "1-evil" / SCATTER).write_text(scatter([(0.01, 0.02)], EVIL, EVIL, EVIL))
    text = page(found(), tmp_path).decode()
    assert "<script" not in text
    assert "<img" not in text
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)
    assert text.count("<svg") == 2
    assert "49" not in re.sub(r"<svg.*?</svg>", "", text, flags=re.DOTALL).replace("{{7*7}}", ""), "nothing is computed"


def test_a_terminal_obeys_nothing_of_it() -> None:
    text = plain_text(report(found(), EVIL))
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)
    assert "\\x1b[31m" in text


def test_a_flame_graph_is_as_wide_as_the_time_and_coloured_by_the_change() -> None:
    graph = flame_graph({"main;old": 0.02, "main;same": 0.01}, {"main;new": 0.02, "main;same": 0.01}, "x")
    titles = re.findall(r"<title>(.*?)</title><rect [^>]*width=\"([\d.]+)\"[^>]*fill=\"(#\w+)\"", graph)
    shown = {title.split(":")[0]: (float(width), fill) for title, width, fill in titles}
    assert set(shown) == {"all", "main", "new", "same"}, "what took no time on this side has no box"
    assert shown["new"][0] > 1.9 * shown["same"][0]
    assert shown["new"][1] == "#f06e4b"
    assert shown["same"][1] == shown["main"][1] == "#eee8dc"
    assert not flame_graph({"main": 1.0}, {}, "x")

    outer = flame_graph(
        {"run;sort": 0.02}, {"build;run;sort": 0.02, "build;run;check": 0.001, "[unknown] (a.so)": 0.1}, "x"
    )
    fills = dict(re.findall(r"<title>([^:<]+): .*?fill=\"(#\w+)\"", outer))
    assert fills.pop("check") == "#f06e4b", "the function that is new stands out"
    assert set(fills.values()) == {"#eee8dc"}, "and a new name further out does not"
