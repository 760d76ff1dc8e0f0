"""``weigh reproduce``."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weigh.cli.data_flags import DATA_FLAGS, SQL
from weigh.cli.evidence.path import others_evidence
from weigh.cli.experiment.run import command_line
from weigh.cli.keys import output, switches, taking
from weigh.cli.output import print_json, print_results, say
from weigh.cli.progress import progress
from weigh.experiment.config.run_request import RunRequest

if TYPE_CHECKING:
    from weigh.experiment.config.user_data import UserFiles
    from weigh.model.progress import Progress
    from weigh.reproduce.run import Original


@click.command()
@click.argument("bundle", metavar="BUNDLE", type=click.Path(path_type=Path))
@click.option(
    "--contender",
    "instead",
    multiple=True,
    metavar="SPEC",
    help="Take this one in the place of the original's of that name, or of the only one of that engine. Repeatable. Of "
    "a load: its server, as --target of weigh load.",
)
@taking(*DATA_FLAGS, SQL)
@click.option("--frames", type=click.Path(), metavar="PATH", help="Your functions for data frames, as of weigh run.")
@click.option(
    "--answers",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The pinned answers, where the original was checked against some.",
)
@click.option("--affinity", metavar="CPUS", help="Keep all contenders on these CPUs, e.g. 0-3.")
@click.option(
    "--key",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Only measure what this key signed: a public SSH key, or a file of allowed signers.",
)
@click.option("--quick", is_flag=True, help="A first look: measure for 30 s, and conclude nothing.")
@taking(*switches(RunRequest, "plan", "resume"))
@click.option("--strict", is_flag=True, help="Exit 3 when a verdict is not confirmed.")
@taking(*output("weigh/reproduction/1"))
def reproduce(
    bundle: Path,
    instead: tuple[str, ...],
    answers: Path | None,
    affinity: str | None,
    key: Path | None,
    quick: bool,
    plan: bool,
    resume: bool,
    strict: bool,
    out: Path,
    as_json: bool,
    verbose: bool,
    quiet: bool,
    **tables: Any,
) -> None:
    """Measure again what a bundle of `weigh export --bundle` says, and confirm each verdict or not.

    The seal is checked first. The data is made or read, and its row digests must be those of the original, or nothing
    is measured. The packages have the same versions, the plan is the same. A verdict is CONFIRMED, CONTRADICTED, NOT
    DECIDED, or decided otherwise on an OTHER MACHINE. Exit 1 when one is contradicted.

    \b
    weigh export latest --bundle
    weigh reproduce 20261127-6424d3bb93f6-1.weigh
    weigh sign runs/reproduction-20261127-6424d3bb93f6-1 --key ~/.ssh/id_ed25519
    """
    from weigh.model.resources import parse_cpus
    from weigh.reproduce.files import recomputed
    from weigh.reproduce.run import OriginalLoad, Wanted
    from weigh.reproduce.run import original as read_original

    report = progress(quiet)
    with tempfile.TemporaryDirectory(prefix="weigh-bundle-") as place:
        path = _packed(bundle, Path(place))
        with others_evidence(bundle):
            original = read_original(path, Path(place, "original"))
            if key:
                _check_signature(original.unpacked.folder, key)
        found = original.verification
        report.say(f"the seal holds: {recomputed(found)}")
        if isinstance(original, OriginalLoad):
            of_run = {"answers": answers, "affinity": affinity, "quick": quick, "plan": plan, "resume": resume}
            _check_of_load({**tables, **of_run})
            folder = original.measured(Wanted(out=out, command=command_line(), instead=instead), report)
            _say(folder, as_json=as_json, verbose=verbose, strict=strict)
            return
        wanted = Wanted(
            out=out,
            command=command_line(),
            instead=instead,
            user_data=_user_data(tables, original, report),
            answers=answers,
            affinity=parse_cpus(affinity) if affinity else None,
            resume=resume,
            quick=quick,
        )
        spec, request, names = original.requested(wanted)
        if plan:
            from weigh.experiment import preview, setup

            setup.check(spec, request)
            if as_json:
                print_json({"schema": preview.SCHEMA, **_plain(preview.preview(spec, request))})
            else:
                for line in preview.lines(preview.preview(spec, request)):
                    say(line)
            return
        folder = original.measured(spec, request, names, report)
    _say(folder, as_json=as_json, verbose=verbose, strict=strict)


def _say(folder: Path, *, as_json: bool, verbose: bool, strict: bool) -> None:
    from weigh.kinds.table import REPRODUCTION

    results = REPRODUCTION.read(folder)
    print_results(REPRODUCTION, results, folder, as_json=as_json, verbose=verbose)
    if not as_json:
        say(f"weigh sign {folder} --key FILE vouches for both; weigh open {folder} shows the page", err=True)
    click.get_current_context().exit(int(results.exit_code(strict=strict)))


def _check_of_load(flags: dict[str, Any]) -> None:
    """Flags of a run say nothing of a load.

    Raises:
        UsageError: one is given.
    """
    from weigh.model.errors import UsageError

    for name, value in flags.items():
        if value not in (None, False, ()):
            raise UsageError(
                f"--{name.replace('_', '-')} is of a run, and the bundle is of a load",
                remedy="leave it out: a load is offered again as it was; --contender names its server",
            )


def _packed(bundle: Path, place: Path) -> Path:
    """The bundle; one made now where an evidence directory is named."""
    from weigh.evidence import bundle as bundles
    from weigh.kinds.folder import resolve
    from weigh.kinds.table import kind_of
    from weigh.model.errors import EvidenceFault, UsageError

    if bundle.is_file():
        return bundle
    if bundle.suffix == bundles.SUFFIX and not bundle.exists():
        raise EvidenceFault(
            "there is no such file", where=str(bundle), remedy="weigh export EVIDENCE --bundle makes one"
        )
    folder = resolve(bundle)
    path = place / f"{folder.resolve().name}{bundles.SUFFIX}"
    kind = kind_of(folder)
    if kind.file != "journal.jsonl":
        raise UsageError(
            f"it is {kind.noun}, and one experiment or load is measured again",
            where=str(folder),
            remedy=kind.named_inside(folder),
        )
    path.write_bytes(bundles.packed(folder, kind.name))
    return path


def _check_signature(folder: Path, key: Path) -> None:
    from weigh.evidence import signature
    from weigh.evidence.verification import Problem
    from weigh.model.errors import EvidenceFault

    found = signature.check(folder, key)
    if isinstance(found, Problem):
        raise EvidenceFault(found.text, where=folder.name, remedy="nothing was measured; ask who vouches for it")


def _user_data(flags: dict[str, Any], original: Original, report: Progress) -> UserFiles | None:
    """The data and questions that the flags name, described by the original's engines; None where they name none."""
    from weigh.experiment.suite.user_data import user_data

    if not any(flags.get(name) for name in ("data", "sql", "frames")):
        return None
    contenders = tuple(one.spec for one in original.record.spec.contenders)
    read, _ = user_data(None, None, {**flags, "contender": contenders}, report)
    return read()


def _plain(found: Any) -> dict[str, Any]:
    import msgspec

    plain: dict[str, Any] = msgspec.to_builtins(found)
    return plain
