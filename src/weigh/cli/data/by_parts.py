"""``weigh data make --on``: a dataset by parts on a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from weigh.cli.output import print_json, say

if TYPE_CHECKING:
    from weigh.data.parts.make import MadeByParts
    from weigh.data.parts.plan import Plan
    from weigh.model.progress import Progress
    from weigh.model.spec import LayoutSpec

ON = click.option(
    "--on",
    metavar="CLUSTER",
    help="Do it by parts on the workers of a cluster of Dask: dask://HOST:PORT, tls://HOST:PORT, or local:N for N "
    "processes of this machine.",
)
QUIET = click.option("--quiet", is_flag=True, help="No progress on stderr.")


class Where(NamedTuple):
    """What flags say about a dataset by parts.

    Attributes:
        on: the cluster.
        to: the place.
        resume: whether parts that are there are taken.
    """

    on: str
    to: str
    resume: bool


def where(on: str | None, to: str | None, *, resume: bool) -> Where | None:
    """None where nothing is to be made by parts.

    Raises:
        UsageError: one of the flags is of no use without the other.
    """
    from weigh.model.errors import UsageError

    if on is None and to is None and not resume:
        return None
    if on is None:
        flag = "--resume" if to is None else "--to"
        raise UsageError(
            f"{flag} is of data that a cluster makes by parts, and no cluster is named",
            remedy=f"name one: --on local:2; or leave {flag} out, and the data is made into weigh's cache",
        )
    if to is None:
        raise UsageError(
            "data by parts is not made into the cache of this machine",
            remedy="say where it goes: --to FOLDER, which all machines share, or --to s3://BUCKET/PREFIX",
        )
    # A worker has another working directory.
    return Where(on, to if "://" in to else str(Path(to).expanduser().absolute()), resume)


def make(
    dataset: str, scale: Any, seed: int, layout: LayoutSpec, files: int | None, where: Where, report: Progress
) -> MadeByParts:
    """Make it, or find it there; raises as :meth:`weigh.data.parts.make.Making.run`.

    Args:
        dataset: name of the generator.
        scale: of the dataset.
        seed: of the dataset.
        layout: as flags say, but for the number of files.
        files: how many parts; None for as many as the generator makes of it.
        where: the cluster and the place.
        report: receives messages.
    """
    import msgspec

    from weigh.cluster.connect import connect
    from weigh.data.generator import dataset_name
    from weigh.data.parts.make import MadeByParts, Making, parts_of
    from weigh.experiment.data.dataset import interpreter
    from weigh.model import units

    parts = files or parts_of(dataset, scale)
    making = Making(
        dataset_name(dataset, scale, seed), msgspec.structs.replace(layout, files=parts), where.to, where.resume
    )
    if (there := making.check()) is not None:
        return MadeByParts(where.to, there, parts, parts, {}, 0.0, 0.0, 0)
    with connect(where.on, report) as place:
        report.say(f"data: {making.name.generator} in {units.count(parts, 'part')} to {where.to}")
        return making.run(place, interpreter, report)


def print_made(made: MadeByParts, *, as_json: bool) -> None:
    """For people, or as one document."""
    import msgspec

    from weigh.model import units

    if as_json:
        print_json({"schema": "weigh/parts/1", **msgspec.structs.asdict(made)})
        return
    say(made.to)
    for table, digest in made.manifest.digests.items():
        size = units.size(sum(file.bytes for file in made.manifest.files if file.table == table))
        say(f"{table}: {made.manifest.rows(table):,} rows, {size}, {made.manifest.writer}, digest {digest}")
    if made.found == made.parts:
        say(f"{units.count(made.parts, 'part')}, all there already")
        return
    there = f", {made.found:,} of them there already" if made.found else ""
    hosts = ", ".join(f"{host} {count:,}" for host, count in sorted(made.hosts.items()))
    say(
        f"{units.count(made.parts, 'part')}{there} in {units.duration(made.wall_s)}: "
        f"{units.duration(made.cpu_s)} of processors; by host: {hosts}"
    )
    if without := made.files_without_page_checksums:
        say(
            f"of {units.count(len(made.manifest.files), 'file')} {without:,} without page checksums: the check "
            "of pages (D4) covers nothing there, the hashes of the manifest do"
        )


def plan(
    dataset: str,
    scale: Any,
    seed: int,
    layout: LayoutSpec,
    files: int | None,
    to: str,
    price: str | None,
    *,
    as_json: bool,
) -> None:
    """Make one part here, and print what all of them would take.

    Args:
        dataset: name of the generator.
        scale: of the dataset.
        seed: of the dataset.
        layout: as flags say, but for the number of files.
        files: how many parts; None for as many as the generator makes of it.
        to: where they would go, which decides whether there are requests.
        price: of a worker and hour; None for none.
        as_json: as one document.
    """
    import msgspec

    from weigh.data.generator import dataset_name
    from weigh.data.parts import plan as plans
    from weigh.data.parts.make import Making, parts_of
    from weigh.experiment.data.dataset import interpreter
    from weigh.model.errors import UsageError
    from weigh.model.metrics.price import parse_price

    cost = parse_price(price) if price else None
    if cost and cost.quantities != {"seconds"}:
        raise UsageError(f"--price {price} is not one of time", remedy="say what a worker costs: 0.05USD/h")
    spec = msgspec.structs.replace(layout, files=files or parts_of(dataset, scale))
    found = plans.plan(Making(dataset_name(dataset, scale, seed), spec, to, resume=False), interpreter)
    money = sum(term.money for term in cost.terms) if cost else 0.0
    if as_json:
        document = {"schema": "weigh/plan-parts/1", **found._asdict(), "measured": found.measured._asdict()}
        document["lines"] = [
            {**line._asdict(), "price": line.worker_s * money if cost else None} for line in found.lines
        ]
        print_json({**document, "currency": cost.currency if cost else None})
        return
    _print_plan(found, money, cost.currency if cost else "")


def _print_plan(found: Plan, money: float, currency: str) -> None:
    from weigh.model import units
    from weigh.model.metrics.price import amount

    one = found.measured
    say(
        f"{units.count(found.parts, 'part')}, {units.size(found.bytes)}, {units.duration(found.cpu_s)} of processors; "
        f"manifest {units.size(found.manifest)}"
    )
    say(
        f"a part, made here: {units.duration(one.cost.wall_s)}, {units.duration(one.cost.cpu_s)} of processors, "
        f"{units.size(one.cost.bytes)} in {units.count(one.files, 'file')}; {units.size(one.facts)} come back"
    )
    say(f"{'workers':>8} {'time':>16} {'in parts':>9}{f'  {currency}':>12}".rstrip(), bold=True)
    for line in found.lines:
        price = f"{amount(line.worker_s * money):>12}" if currency else ""
        say(f"{line.workers:>8,} {units.duration(line.seconds):>16} {units.percent(line.used, 0):>9}{price}")
    for end in found.ends:
        say(end)
