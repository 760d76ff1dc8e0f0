"""Making a dataset in a layout, whole or one of its parts: rows generated, written, read back."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

import msgspec

from weigh.data.generator import Progress, Workshop, generator, parted
from weigh.data.layout import file_facts, knobs, parquet, physical, vortex, written
from weigh.model.dataset import DatasetName, Manifest
from weigh.model.errors import DataFault, EnvironmentFault, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor

    import pyarrow as pa

    from weigh.data.generator import Source, Table, Written
    from weigh.model.dataset import FileFacts
    from weigh.model.spec import LayoutSpec
    from weigh.model.units import Rows

Environment = Callable[[list[str]], Path]
"""Gives the interpreter of an environment with these exact requirements."""


class GivenRows(NamedTuple):
    """Rows that are there already, in another form: nobody generates them.

    Attributes:
        source: their tables.
        digests: row digest of each table, which what is written of it must have.
    """

    source: Source
    digests: Mapping[str, str]


class Making(NamedTuple):
    """A dataset about to be made in one layout, or one of the parts that make it up.

    Attributes:
        name: the dataset, with its generator's version.
        spec: the layout, complete; of a part it has one file.
        environment: for the generator's and the writer's requirements.
        given: the rows, where no generator makes them.
        threads: to make it with.
        progress: receives messages now and then.
        part: the number of the part, from 0, and how many there are; None for all rows.
        checked_by: threads that read the files back; 0 for all processors.
    """

    name: DatasetName
    spec: LayoutSpec
    environment: Environment | None
    given: GivenRows | None
    threads: int
    progress: Progress | None
    part: tuple[int, int] | None = None
    checked_by: int = 0

    def fill(self, aside: Path, executor: Executor) -> tuple[Manifest, Source]:
        """Make the files and read them back.

        Args:
            aside: an empty folder for them.
            executor: where rows are made.

        Returns:
            What the files are, and what they were made from, whose truth is complete.

        Raises:
            UsageError, DataFault, EnvironmentFault: as :func:`weigh.data.cache.ensure`.
        """
        handed: dict[str, str] = {}
        parts = aside / "parts"
        # Whatever needs an environment asks for it before anything is generated.
        generated = None if self.given else self._generated(parts, executor)
        needed = parquet.requirements(self.spec)
        python = self._environment(needed) if needed else None
        source = generated() if generated else cast("GivenRows", self.given).source
        knobs.check_columns(self.spec, {table: content.schema.names for table, content in source.tables.items()})
        files: list[FileFacts] = []
        paths: dict[str, list[Path]] = {}
        for table, content in source.tables.items():
            if self.spec.writer == self.name.generator.partition("/")[0]:
                paths[table] = _moved(cast("Written", content).paths, aside, table)
            else:
                paths[table] = self._written(table, content, aside, executor, python, handed)
            files += self._facts(table, paths[table], python)
        manifest = Manifest(
            dataset=self.name,
            layout=self.spec,
            writer=parquet.writer(self.spec),
            files=tuple(files),
            digests=file_facts.merged(files),
            read_back=parquet.writer(self.spec) if self.spec.vortex else msgspec.UNSET,
        )
        for table, content in source.tables.items():
            if manifest.rows(table) != content.rows:
                raise DataFault(
                    f"{manifest.writer} wrote {manifest.rows(table):,} rows of {table}, not {content.rows:,}",
                    remedy="report this: a writer that loses rows",
                )
        for table, digest in {**handed, **(self.given.digests if self.given else {})}.items():
            if manifest.digests[table] != digest:
                if self.spec.vortex and python is not None:
                    raise vortex.other_rows(table, source.tables[table].schema, paths[table][0], python)
                raise DataFault(
                    f"{manifest.writer} wrote other rows of {table} than the files hold: it cannot keep one of its "
                    "types",
                    where=f"layout with writer = '{self.spec.writer}'",
                    remedy="choose another writer: duckdb, pyarrow, polars or parquet-rs",
                )
        shutil.rmtree(parts, ignore_errors=True)
        return manifest, source

    def _generated(self, folder: Path, executor: Executor) -> Callable[[], Source]:
        """Makes what the generator makes; programs of its own leave their files in ``folder``."""
        family, _, version = self.name.generator.partition("/")
        made_by = generator(family)
        if version != str(made_by.version):
            raise UsageError(
                f"this weigh makes {family}/{made_by.version}, not {self.name.generator}",
                remedy="use the version of weigh that the dataset came with",
            )
        scale = self.name.scale
        if scale is None:
            raise UsageError(f"{family} needs a scale", remedy=f"say how many {made_by.base}")
        folder.mkdir()
        python = self._environment(list(made_by.requirements)) if made_by.requirements else None
        shop = Workshop(folder, python, executor, self.threads, self.spec, self.progress or _nobody)
        if self.part is None:
            return lambda: made_by.open(scale, self.name.seed, shop)
        number, parts = self.part
        return lambda: parted(made_by).part(scale, self.name.seed, number, parts, shop)

    def _environment(self, requirements: list[str]) -> Path:
        if self.environment is None:
            raise EnvironmentFault(
                f"{self.name.generator} as {parquet.writer(self.spec)} writes it needs an environment of its own",
                remedy=f"make one with {', '.join(requirements)}",
            )
        return self.environment(requirements)

    def _written(
        self,
        table: str,
        content: Table,
        aside: Path,
        executor: Executor,
        python: Path | None,
        handed: dict[str, str],
    ) -> list[Path]:
        suffix = vortex.SUFFIX if self.spec.vortex else ".parquet"
        paths = [aside / f"{table}-{number:04}{suffix}" for number in range(self.spec.files)]
        batches = self._watched(content.batches(executor), content.rows, table)
        parquet.write(
            vortex.digested(batches, content.schema, table, handed) if self.spec.vortex else batches,
            self.spec,
            paths,
            schema=content.schema,
            rows=content.rows,
            python=python,
            threads=self.threads,
        )
        return paths

    def _facts(self, table: str, paths: list[Path], python: Path | None) -> list[FileFacts]:
        if self.spec.vortex:
            assert python is not None
            return vortex.file_facts(paths, table, [path.name for path in paths], python)
        self._carried_out(paths)
        return [file_facts.file_facts(path, table, path.name, self.checked_by) for path in paths]

    def _carried_out(self, paths: list[Path]) -> None:
        """Refuse files that are not what the layout says: they would be measured under a wrong name."""
        if not knobs.options_of(self.spec):
            return
        found = written.contradictions(self.spec, physical.table_form(paths, levels=False, order=False))
        if found:
            raise DataFault(
                f"{parquet.writer(self.spec)} wrote {'; '.join(found)}",
                remedy="leave out what it did not do, or choose another writer",
            )

    def _watched(self, batches: Iterator[pa.RecordBatch], rows: Rows, table: str) -> Iterator[pa.RecordBatch]:
        made = 0
        for batch in batches:
            made += batch.num_rows
            if self.progress is not None:
                self.progress(made, rows, f"data: {table}")
            yield batch


def _nobody(_made: int, _total: int, _what: str) -> None:
    """Progress without anybody to be determined."""


def _moved(made: list[Path], aside: Path, table: str) -> list[Path]:
    """Files that the generator wrote, under the names that all layouts have."""
    paths = [aside / f"{table}-{number:04}.parquet" for number in range(len(made))]
    for old, new in zip(made, paths, strict=True):
        old.rename(new)
    return paths
