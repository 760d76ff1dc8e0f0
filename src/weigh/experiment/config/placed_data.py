"""``--data FOLDER`` and ``--data s3://BUCKET/PREFIX`` where generated data lies that was made by parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from weigh import workloads
from weigh.data.parts.destination import AWS
from weigh.data.parts.placed import manifest_in
from weigh.data.store.address import SCHEME, parsed
from weigh.engines.remote.adapter import WAY
from weigh.model.data.store import S3, StoreSpec
from weigh.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.model.spec import LayoutSpec, Spec

_WORKLOADS = ("netflow", "tpch", "tpch-dbgen")
"""Each is the first about its dataset."""


class PlacedData(NamedTuple):
    """Generated data that lies somewhere.

    Attributes:
        place: its folder, or ``s3://BUCKET/PREFIX``.
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
        UsageError: another flag contradicts its manifest, or its store cannot be had.
        DataFault: its manifest cannot be read.
        EnvironmentFault: its store does not answer.
    """
    named = tuple(flags.get("data") or ())
    if any(one.startswith(SCHEME) for one in named):
        _refuse(named, flags)
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


_FILES_ONLY = {
    "sql": "questions of your own are asked of files",
    "corrupt": "a bit is flipped in a copy of the files",
    "ingest": "loading is measured from files",
    "streams": "streams change files",
}
"""Flags that have no meaning for objects, and why."""


def _refuse(named: tuple[str, ...], flags: Mapping[str, Any]) -> None:
    """Raises UsageError where more is asked of objects than can be done with them."""
    if len(named) > 1:
        raise UsageError("data in a store is one dataset with its manifest", remedy="name one s3://BUCKET/PREFIX")
    for flag, why in _FILES_ONLY.items():
        if flags.get(flag):
            raise UsageError(
                f"{why}, and these are objects",
                where=named[0],
                remedy=f"leave out --{flag}, or copy the dataset to a folder and name that",
            )


def in_store(spec: Spec, place: str) -> Spec:
    """The experiment with every contender that weigh gives data reading the objects where they lie.

    Args:
        spec: as it was asked for.
        place: ``s3://BUCKET/PREFIX``.

    Raises:
        UsageError: a contender is to read something else.
    """
    target, prefix = parsed(place, "data")
    store = StoreSpec(
        endpoint=target.endpoint or AWS.format(target.region),
        bucket=target.bucket,
        prefix=prefix,
        region=target.region,
        tls=not target.endpoint.startswith("http://"),
        placed=True,
    )
    for one in spec.contenders:
        where = f"contender {one.name}"
        if one.store or one.layout:
            what = f"store={one.store}" if one.store else f"layout={one.layout}"
            raise UsageError(
                f"the data lies at {place}, and {what} is another place", where=where, remedy=f"leave out {what}"
            )
        if one.remote and one.settings.get(WAY) != "exists":
            raise UsageError(
                f"weigh loads nothing into a server from {place}",
                where=where,
                remedy=f"write ?{WAY}=exists where the server has the tables already",
            )
    contenders = tuple(one if one.remote else msgspec.structs.replace(one, store=S3) for one in spec.contenders)
    return msgspec.structs.replace(spec, contenders=contenders, stores={S3: store})
