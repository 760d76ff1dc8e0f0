"""A system of ClickBench: a folder with the scripts ``start``, ``check``, ``stop``, ``load``, ``query``, ``data-size``."""

from pathlib import Path

from weigh.engines.engine import Engine

engine = Engine(
    name="clickbench",
    lineage="clickbench",
    adapter=Path(__file__).parent / "adapter" / "__init__.py",
    requires=("pyarrow==26.0.1",),
    copies=True,
    variants=("weigh.system", "weigh.data", "weigh.answer", "weigh.null"),
    place="weigh.system",
    about="a system in ClickBench's form, clickbench:./FOLDER, asked by its own scripts",
)
