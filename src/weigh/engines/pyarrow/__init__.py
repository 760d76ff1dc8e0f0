"""PyArrow: Arrow's own execution engine, Acero."""

import re
from pathlib import Path

import msgspec

from weigh.engines.engine import Engine, Objects, Switch

_ADAPTER = Path(__file__).with_name("adapter")
_NOT_ALONE = re.compile(r'\A"""(?s:.*?)"""\n|^from (__future__|weigh_worker|\.\w+) import .*\n', re.MULTILINE)
_ASK = """\


def ask(tables, sql, settings):
    ours = Settings(settings)
    opened = {name: ours.opened(name, paths) for name, paths in tables.items()}
    table = Select(parsed(sql), opened, ours.plan).run()
    return list(zip(*(column.to_pylist() for column in table.columns)))
"""


def _script() -> str:
    """The translation as one source that stands alone."""
    parts = [_NOT_ALONE.sub("", (_ADAPTER / f"{name}.py").read_text()) for name in ("tables", "where", "select")]
    return "".join(["class Unsupported(Exception):\n    pass\n", *parts, _ASK])


engine = Engine(
    name="pyarrow",
    lineage="arrow",
    adapter=_ADAPTER / "__init__.py",
    adapter_part="sql",
    package="pyarrow",
    tested="26.0.1",
    # Reads the SQL, which PyArrow cannot.
    requires=("sqlglot==30.30.0",),
    dialect="pyarrow",
    threads="threads",
    objects=Objects(),
    checksums="page_checksum_verification",
    switches=(
        Switch(name="no filter in the scan", settings={"pushdown": False}),
        Switch(name="pre-buffering off", settings={"pre_buffer": False}),
        Switch(name="buffered streams", settings={"use_buffered_stream": True}),
        Switch(name="small batches", settings={"batch_size": 1000}),
    ),
    script=_script(),
    confined=True,
    about="PyArrow's Acero in its own process, plans translated from plain SELECTs",
)

frames = msgspec.structs.replace(
    engine,
    name="pyarrow-table",
    adapter_part="frames",
    requires=(),
    dialect="frames/pyarrow",
    switches=tuple(one for one in engine.switches if one.settings.keys() <= {"pre_buffer", "use_buffered_stream"}),
    script="""\
import pyarrow.dataset as ds


def ask(tables, sql, settings):
    names = {"tables": {name: ds.dataset(paths, format="parquet") for name, paths in tables.items()}}
    exec(sql, names)
    return list(zip(*(column.to_pylist() for column in names["answer"].columns)))
""",
    about="PyArrow's tables and functions in their own process, over datasets of Parquet",
)
"""The same library, asked with functions and not with SQL that is translated."""
