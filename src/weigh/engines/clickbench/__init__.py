"""A system of ClickBench: a folder with scripts."""

from pathlib import Path

from weigh.engines.engine import Engine

engine = Engine(
    name="clickbench",
    lineage="clickbench",
    adapter=Path(__file__).parent / "adapter" / "__init__.py",
    requires=("pyarrow==26.0.1", "sqlglot==30.30.0"),
    copies=True,
    variants=("weigh.system", "weigh.data", "weigh.answer", "weigh.null", "weigh.dialect"),
    place="weigh.system",
    statistics=True,
    # Not install: it may change the machine, and is the user's to call, once.
    executables=("start", "check", "stop", "load", "query", "data-size"),
    # A server that is told to stop writes what it has.
    closing_s=90.0,
    about="a system in ClickBench's form, clickbench:./FOLDER, asked by its own scripts",
)
