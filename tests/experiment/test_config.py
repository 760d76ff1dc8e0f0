"""weigh.toml and the flags: every mistake is named, with its place and the nearest right word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import pytest

from weigh.experiment.config import file
from weigh.experiment.config import spec as config
from weigh.host import affinity
from weigh.model.errors import UsageError
from weigh.model.spec import LayoutSpec

if TYPE_CHECKING:
    from pathlib import Path

    from weigh.model.spec import Spec

DUCKDB = '[[contender]]\nengine = "duckdb"\n'


def spec(folder: Path, text: str, **flags: object) -> Spec:
    path = folder / "weigh.toml"
    path.write_text(text)
    return config.make_spec(file.read_file(path), flags)


def test_defaults(tmp_path: Path) -> None:
    made = spec(tmp_path, DUCKDB)
    assert (made.workload, made.scale, made.seed, made.starts) == ("netflow", 1_000_000, 42, 10)
    assert (made.runs, made.rounds, made.duet, made.precision, made.budget) == (*[msgspec.UNSET] * 4, None)
    assert (made.baseline, made.baseline_declared, made.truth) == ("duckdb", False, True)


@pytest.mark.parametrize(
    ("workload", "written", "scale"),
    [
        ("netflow", "", 1_000_000),
        ("netflow", 'scale = "20K"', 20_000),
        ("netflow", "scale = 1500", 1500),
        ("tpch", "", 1.0),
        ("tpch", "scale = 0.1", 0.1),
        ("tpch", "scale = 10", 10.0),
        ("tpch-dbgen", 'scale = "SF0.01"', 0.01),
    ],
)
def test_a_scale_is_in_the_unit_of_its_data(tmp_path: Path, workload: str, written: str, scale: float) -> None:
    made = spec(tmp_path, f'[experiment]\nworkload = "{workload}"\n{written}\n{DUCKDB}')
    assert (made.scale, type(made.scale)) == (scale, type(scale))


def test_a_flag_wins_over_the_file(tmp_path: Path) -> None:
    text = '[experiment]\nscale = "1M"\nmargin = 0.05\ntruth = true\nbudget = "1m"\n' + DUCKDB
    made = spec(tmp_path, text, scale="2K", margin="1%", truth=False, baseline="duckdb", contender=("duckdb", "chdb"))
    assert (made.scale, made.rules.margin, made.truth, made.budget) == (2000, 0.01, False, 60.0)
    assert made.baseline_declared


def test_a_contender_of_the_file_is_chosen_by_its_name(tmp_path: Path) -> None:
    text = '[[contender]]\nname = "old"\nengine = "duckdb"\nversion = "1.5.5"\n' + DUCKDB
    made = spec(tmp_path, text, contender=("old", "new=duckdb@2.0.0"))
    assert [(one.name, one.version) for one in made.contenders] == [("old", "1.5.5"), ("new", "2.0.0")]


def test_the_id_is_of_the_content_not_of_the_name(tmp_path: Path) -> None:
    ids = {spec(tmp_path, f'[experiment]\nname = "{name}"\n{DUCKDB}').id for name in ("one", "two")}
    assert len(ids) == 1
    assert spec(tmp_path, DUCKDB, seed=43).id not in ids


LAYOUTS = '[layout]\ncodec = "snappy"\n[layout.many]\nfiles = 4\n[layout.unused]\nfiles = 9\n'
MANY = '[[contender]]\nengine = "duckdb"\nlayout = "many"\n'


@pytest.mark.promise(
    "What it leaves out is as in `[layout]`, so that it differs in what it says and in nothing else.",
    "Only layouts that a contender names are made, and are part of the experiment's id.",
)
def test_a_layout_of_a_contender(tmp_path: Path) -> None:
    made = spec(tmp_path, LAYOUTS + DUCKDB + MANY)
    assert [(one.name, one.layout) for one in made.contenders] == [("duckdb", ""), ("duckdb?layout=many", "many")]
    assert made.layouts == {"many": LayoutSpec(codec="snappy", files=4)}
    assert made.layouts_read == {"": LayoutSpec(codec="snappy"), **made.layouts}
    assert [made.layout_name(one.name) for one in made.contenders] == ["default", "many"]
    other = spec(tmp_path, LAYOUTS.replace("files = 9", "files = 8") + DUCKDB + MANY)
    assert made.id == other.id
    assert made.id != spec(tmp_path, LAYOUTS.replace("files = 4", "files = 5") + DUCKDB + MANY).id


def test_a_layout_that_nobody_names_changes_no_id(tmp_path: Path) -> None:
    """Nor do the keys that a contender leaves out. The rules of verdicts are part of an id."""
    made = spec(tmp_path, "[layout.many]\nfiles = 4\n" + DUCKDB)
    assert made.id == spec(tmp_path, DUCKDB).id == "e8e12b7e531b"


@pytest.mark.parametrize(
    ("text", "said", "remedy"),
    [
        (LAYOUTS + MANY.replace("many", "mny"), "there is no layout 'mny'", "did you mean 'many'?"),
        (MANY, "there is no layout 'many'", "[layout.many]"),
        ("[layout.default]\nfiles = 3\n" + DUCKDB, "[layout.default] is [layout] itself", "another name"),
        ('[layout."a b"]\nfiles = 3\n' + DUCKDB, "'a b' cannot be a layout's name", "letters"),
        ("[layout.many]\nfile = 3\n" + DUCKDB, "[layout.many]: unknown key 'file'", "'files'"),
        ("[layout.many]\nfiles = 'x'\n" + DUCKDB, "Expected `int`, got `string` - at `layout.many.files`", "docs/"),
        ("[layouts.many]\nfiles = 3\n" + DUCKDB, "unknown key 'layouts'", "'layout'"),
        (
            '[layout.many]\nformat = "vortex"\ncodec = "zstd"\n' + MANY,
            "[layout.many]: codec is a key of",
            "leave out codec",
        ),
        ('[layout]\nformat = "vortex"\n[layout.many]\npage_size = 9\n' + MANY, "[layout.many]: page_size", "leave out"),
        ('[layout.many]\nformat = "orc"\n' + DUCKDB, "unknown value 'orc' - at `layout.many.format`", "docs/"),
        (DUCKDB + "settings = { layout = 'many' }", "'layout' is no setting of an engine", "alongside settings"),
        ("[layout.many]\nfiles = 0\n" + MANY, "layout.files = 0 is too small", "at least 1"),
    ],
)
def test_mistakes_in_layouts(tmp_path: Path, text: str, said: str, remedy: str) -> None:
    with pytest.raises(UsageError) as caught:
        spec(tmp_path, text)
    assert said in str(caught.value)
    assert remedy in caught.value.remedy


@pytest.mark.parametrize(
    ("text", "said", "remedy"),
    [
        ('[experiment]\nscael = "1K"', "[experiment]: unknown key 'scael'", "'scale'"),
        ("[layot]", "unknown key 'layot'", "'layout'"),
        (DUCKDB + "setings = {}", "[contender]: unknown key 'setings'", "'settings'"),
        ("[layout]\nrow_group = 5", "unknown key 'row_group'", "'row_group_rows'"),
        ("[experiment", "not TOML", "docs/"),
        ("experiment = 3", "Expected `table`, got `int` - at `experiment`", "docs/"),
        ("[experiment]\nstarts = 'ten'", "got `string` - at `experiment.starts`", "docs/"),
        ("[experiment]\nbudget = 10", "Expected `string`, got `int` - at `experiment.budget`", "docs/"),
        ("[experiment]\ntemperature = 'warm'", "unknown value 'warm' - at `experiment.temperature`", "docs/"),
        ("[contender]\nengine = 'duckdb'", "Expected `array`", "docs/"),
        ("[[contender]]\nname = 'a'", "missing key `engine` - at `contender[0]`", "docs/"),
        (DUCKDB * 2, "two contenders are called 'duckdb'", "NAME="),
        ("[[contender]]\nengine = 'duckdb'\nname = 'a#2'", "'a#2' cannot be", "#"),
        ("[[contender]]\nengine = 'duckdb'\nname = \"a\\u001b[31m\"", "cannot be a contender's name", "printed"),
        ("[[contender]]\nengine = 'duckdb'\npins = ['x']", "'x' is not an exact pin", "=="),
        ("[[contender]]\nengine = 'duckdb'\nversion = \"1\\n--index-url x\"", "is not an exact pin", "=="),
        ("", "no contender is named", "--contender"),
    ],
)
def test_mistakes_in_the_file(tmp_path: Path, text: str, said: str, remedy: str) -> None:
    with pytest.raises(UsageError) as caught:
        spec(tmp_path, text)
    assert said in str(caught.value)
    assert remedy in caught.value.remedy


def test_a_file_that_is_not_text(tmp_path: Path) -> None:
    (tmp_path / "weigh.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="cannot be read"):
        file.read_file(tmp_path / "weigh.toml")


@pytest.mark.promise(
    "A duet needs two CPUs, hot data, servers that weigh starts itself, and memory for two contenders at once. Where "
    "one of these is missing, it is refused."
)
@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ({"contender": ("duckdb",)}, "a duet is one of two contenders, and there is one"),
        ({"temperature": "cold"}, "a duet is measured hot, and the temperature is 'cold'"),
        ({"temperature": "both"}, "a duet is measured hot, and the temperature is 'both'"),
        (
            {"contender": ("duckdb", "pg=postgres?weigh.url=postgresql://me@db:5432/x")},
            "the server of pg is not started",
        ),
    ],
)
def test_a_duet_that_cannot_be(tmp_path: Path, flags: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        spec(tmp_path, "", **{"duet": True, "contender": ("duckdb", "chdb"), **flags})


@pytest.mark.promise(
    "A duet needs two CPUs, hot data, servers that weigh starts itself, and memory for two contenders at once. Where "
    "one of these is missing, it is refused."
)
def test_a_duet_on_one_cpu_is_refused() -> None:
    with pytest.raises(UsageError, match="a duet needs two CPUs, one for each side, and there is one"):
        affinity.halves((3,))
    assert affinity.halves((0, 2, 5)) == ((0,), (2,))


@pytest.mark.promise("`--precision` is for hot times and is refused with another temperature")
@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ({"baseline": "duckbd"}, "the baseline 'duckbd' is not a contender"),
        ({"contender": ("duckdb", "duckdb")}, "two contenders are called 'duckdb'"),
        ({"scale": "-5"}, "not a number of rows"),
        ({"scale": "0.1"}, "not a whole number of rows"),
        ({"workload": "tpch", "scale": "20K"}, "'20K' is not a scale factor"),
        ({"workload": "tpch", "scale": "0.0001"}, "tpchgen at 0.0001 is too small"),
        ({"workload": "tpcch"}, "there is no workload 'tpcch'"),
        ({"starts": 0}, "starts = 0 is too small"),
        ({"runs": -1}, "runs = -1 is too small"),
        ({"margin": "0"}, "margin = 0 is not positive"),
        ({"margin": "nan"}, "margin = nan is not a fraction"),
        ({"margin": "inf"}, "margin = inf is not a fraction"),
        ({"margin": "3"}, "margin = 3 would be 300 %"),
        ({"confidence": "99"}, "confidence = 99 would be 9900 %"),
        ({"confidence": "99.9%", "precision": "1", "contender": ("duckdb", "chdb")}, "precision = 1 would be 100 %"),
        ({"contention": "5"}, "contention = 5 would be 500 %"),
        ({"confidence": "30%"}, "is not a confidence level"),
        ({"timeout": "0s"}, "timeout = 0s is no time"),
        ({"budget": "0s"}, "budget = 0s is no time"),
        (
            {"temperature": "cold", "precision": "2%", "contender": ("duckdb", "chdb")},
            "a precision is that of hot times",
        ),
        ({"temperature": "hto"}, "there is no temperature 'hto'"),
    ],
)
def test_mistakes_in_the_flags(tmp_path: Path, flags: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said.replace("'", ".")) as caught:
        spec(tmp_path, DUCKDB, **flags)
    assert caught.value.remedy


@pytest.mark.promise("A baseline that is a name of the file takes part, also where no `--contender` names it")
def test_a_baseline_takes_part(tmp_path: Path) -> None:
    text = "".join(f'[[contender]]\nname = "{name}"\nengine = "duckdb"\n' for name in ("main", "other", "pr"))
    for more, flags in (("", {"baseline": "main"}), ('[experiment]\nbaseline = "main"\n', {})):
        made = spec(tmp_path, more + text, contender=("pr",), **flags)
        assert ([one.name for one in made.contenders], made.baseline) == (["main", "pr"], "main")
        assert made.baseline_declared
    made = spec(tmp_path, text, contender=("pr",), baseline="old=duckdb@1.5.5")
    assert ([one.name for one in made.contenders], made.baseline) == (["old", "pr"], "old")
    with pytest.raises(UsageError, match="the baseline 'mian' is not a contender"):
        spec(tmp_path, text, contender=("pr",), baseline="mian")
    with pytest.raises(UsageError, match=r"neither a contender of weigh.toml nor an engine 'mian'") as caught:
        spec(tmp_path, text, contender=("mian",), baseline="pr")
    assert "did you mean 'main'?" in caught.value.remedy


def test_a_baseline_alone_is_compared_with_nothing(tmp_path: Path) -> None:
    """A job that names one side twice would be green for ever."""
    text = '[[contender]]\nname = "main"\nengine = "duckdb"\n'
    with pytest.raises(UsageError, match="the baseline 'main' is the only contender: nothing is compared with it"):
        spec(tmp_path, text, contender=("main",), baseline="main")
    assert len(spec(tmp_path, text, contender=("main",)).contenders) == 1
    assert len(spec(tmp_path, text, contender=("main",), baseline="main", vary=("threads=1,2",)).contenders) == 2
