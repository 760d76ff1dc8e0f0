"""Placing: on what data, copies that engines load and temporary files lie, and whether they were to lie there."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

from weigh.engines import loaded
from weigh.experiment.data import ingest
from weigh.host import storage
from weigh.model import codes
from weigh.model.data.store import FILE, TMPFS
from weigh.model.errors import EnvironmentFault

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from weigh.engines.prepared import PreparedContender
    from weigh.experiment.data.dataset import Data
    from weigh.model.data.storage import Place
    from weigh.model.spec import Spec

_WHAT = {"data": "the data lies", "copy": "the tables that {} loads lie"}


def places(
    contenders: Sequence[PreparedContender], layouts: Mapping[str, Data], memory: Mapping[str, Data] | None = None
) -> tuple[Place, ...]:
    """Where everything lies that contenders read or write; objects of a store lie elsewhere.

    Several files on several file systems are several places.

    Args:
        contenders: of the experiment.
        layouts: the data by the name of its layout.
        memory: copies of it in memory, for contenders whose store that is.
    """
    read = {one.contender.layout for one in contenders if one.contender.store in ("", FILE)}
    found = [
        storage.place(folder, "data") for name, data in layouts.items() if name in read for folder in _folders(data)
    ]
    found = list({(one.mount, one.source): one for one in reversed(found)}.values())[::-1]
    found += [
        storage.place(memory[one.contender.layout].folder, "data", contender=one.name)
        for one in contenders
        if memory and one.contender.store == TMPFS
    ]
    found += [
        storage.place(
            (ingest.loads_folder if one.ingests else loaded.copies_folder)(one.cache), "copy", contender=one.name
        )
        for one in contenders
        if one.engine.copies or one.ingests
    ]
    return (*found, storage.place(tempfile.gettempdir(), "temp"))


def _folders(data: Data) -> list[str]:
    """Folders of the files of a layout, behind links."""
    files = [data.folder / file.path for file in data.manifest.files]
    return sorted({str(file.resolve().parent) for file in files}) or [str(data.folder)]


def check(found: Iterable[Place], spec: Spec) -> None:
    """Nothing is measured where the data lies on something else than was expected (E2).

    Raises:
        EnvironmentFault: it does; the message says on what.
    """
    if not spec.expect_storage:
        return
    for one in found:
        if one.use != "temp" and one.kind != spec.expect_storage:
            raise EnvironmentFault(
                f"{codes.E2}: {_WHAT[one.use].format(one.contender)} on {one.on} at {one.mount}, which is {one.kind}; "
                f"{spec.expect_storage} was expected",
                where=one.path,
                remedy="put it there (WEIGH_CACHE names the place of generated data; weigh doctor storage shows what "
                "there is), or expect what it is",
            )
