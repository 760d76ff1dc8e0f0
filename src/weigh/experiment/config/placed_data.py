"""``--data FOLDER`` where the folder holds generated data that was made by parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from weigh import workloads
from weigh.data.parts.placed import manifest_in
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.model.spec import LayoutSpec

_WORKLOADS = ("netflow", "tpch", "tpch-dbgen")
"""Each is the first about its dataset."""


class PlacedData(NamedTuple):
    """Generated data that lies somewhere.

    Attributes:
        place: its folder.
        layout: how it is written.
        flags: of the command line, with the scale and seed that it has.
    """

    place: str
    layout: LayoutSpec
    flags: dict[str, Any]


def found(flags: Mapping[str, Any]) -> PlacedData | None:
    """What ``--data`` names; None where it names a user's own files, or nothing.

    Args:
        flags: values of the command line by name.

    Raises:
        UsageError: another flag contradicts its manifest, or it lies in a store.
        DataFault: its manifest cannot be read.
    """
    named = tuple(flags.get("data") or ())
    if len(named) != 1 or flags.get("sql"):
        return None
    manifest = manifest_in(named[0])
    if manifest is None or manifest.layout is None:
        return None
    family = manifest.dataset.generator.partition("/")[0]
    about = [name for name in _WORKLOADS if workloads.load(name).dataset == family]
    workload = flags.get("workload") or (about[0] if about else "")
    if not workload or workload == "sql" or workloads.load(workload).dataset != family:
        raise UsageError(
            f"it holds {manifest.dataset.generator}, about which {workload or 'no workload'} asks nothing",
            where=named[0],
            remedy="name the workload of its generator, or your own questions: --sql FILE",
        )
    for name in ("scale", "seed"):
        if flags.get(name) is not None:
            raise UsageError(f"--{name} is that of the data", where=named[0], remedy=f"leave out --{name}")
    scale = manifest.dataset.scale
    changed = {"data": (), "workload": workload, "scale": repr(scale) if isinstance(scale, float) else str(scale)}
    if manifest.dataset.seed is not None:
        changed["seed"] = manifest.dataset.seed
    return PlacedData(named[0], manifest.layout, {**flags, **changed})
