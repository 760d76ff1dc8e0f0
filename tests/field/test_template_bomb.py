"""Files that fill one another come to an end, quickly and in little memory, and are named."""

from __future__ import annotations

import resource
import time
from typing import TYPE_CHECKING

from field.suites import audited, copied
from weigh.workloads import suites

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Weigh


def test_a_template_bomb_is_refused(weigh: Weigh) -> None:
    copied("template-bomb", weigh.folder)
    run, _, _ = audited(weigh, "./")
    assert run.code == 2
    assert "a: its templates, includes and substitutions come to more than 4.00 MiB" in run.err


def test_other_bombs_leave_out_themselves(tmp_path: Path) -> None:
    values = "".join(f"<value>{'x' * 4000}{one}</value>" for one in range(30))
    bomb = f"<substitution><name>a</name><values>{values}</values></substitution>"
    bomb += bomb.replace(">a<", ">b<")
    (tmp_path / "xml").mkdir()
    (tmp_path / "xml/bomb.xml").write_text(
        f"<test><substitutions>{bomb}</substitutions><query>SELECT '{'{a}{b}' * 400}' FROM t</query></test>"
    )
    (tmp_path / "xml/load.xml").write_text(
        f"<test><substitutions>{bomb}</substitutions><fill_query>INSERT INTO t SELECT '{'{a}{b}' * 400}'</fill_query>"
        "<query>SELECT 1 FROM t</query></test>"
    )
    (tmp_path / "xml/plain.xml").write_text("<test><query>SELECT x FROM t</query></test>")
    (tmp_path / "sql").mkdir()
    grid = "-- param: a = [" + ", ".join(f'"{"y" * 900}{one}"' for one in range(900)) + "]\n"
    (tmp_path / "sql/bomb.sql").write_text(f"{grid}SELECT {{a}} AS z{', 0' * 20_000} FROM t")
    (tmp_path / "sql/plain.sql").write_text("SELECT x FROM t")
    (tmp_path / "includes").mkdir()
    (tmp_path / "includes/a.benchmark").write_text("include b.in\n" * 100 + "run\nSELECT x FROM t\n")
    (tmp_path / "includes/b.in").write_text("include c.in\n" * 100)
    (tmp_path / "includes/c.in").write_text("# nothing\n")
    (tmp_path / "includes/plain.benchmark").write_text("run\nSELECT x FROM t\n")
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    read = {folder: suites.read(tmp_path / folder) for folder in ("xml", "sql", "includes")}
    assert time.process_time() - began < 20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 512 << 10
    assert [one.name for one in read["xml"].left_out] == ["bomb#0", "load"]
    for suite in read.values():
        assert len(suite.questions) == 1
        assert all("more than" in one.why for one in suite.left_out)
    assert [one.name for one in read["sql"].left_out] == ["bomb"]
    assert [one.name for one in read["includes"].left_out] == ["a"]
