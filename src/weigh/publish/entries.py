"""One evidence of a site: what a list says of it, whether it passes, its bundle and the command that repeats it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from weigh.evidence import attempts, bundle, files, naming, signature
from weigh.evidence.citation import Citation, cited
from weigh.evidence.seal import SEAL
from weigh.experiment.report.files import VERDICTS
from weigh.kinds.table import REPRODUCTION, RUN, kind_of
from weigh.model import codes
from weigh.model.errors import EvidenceFault, WeighError
from weigh.model.text import one_line
from weigh.reproduce.repeatable import why_not
from weigh.serve.stored.documents import file_of, summary
from weigh.serve.stored.summary import UNFINISHED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from weigh.kinds.folder import Entry
    from weigh.kinds.kind import Kind

_JOURNAL = "journal.jsonl"


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """An evidence, as its row of the index and its page say it.

    Attributes:
        name: of its directory.
        kind: of evidence.
        written: when it was recorded, in UTC.
        workload, about, says: as ``weigh runs`` has them.
        tier: what it is good for; empty where nothing was timed.
        verified: what ``weigh verify`` says: ``passes``, or what is wrong.
        passes: whether it does.
        signed: whether somebody signed it.
        command: that made it.
        again: that measures it again from its bundle; empty where only the command does.
        bundle: file of its bundle: of a reproduction that of what was measured for it; empty of a ladder.
        parts: of a ladder the bundles of its rungs.
        page: file of its page.
        terms: what a vendor's licence says about publishing it (R8).
        contenders: their names.
        machine: facts of the host, in a line.
        group: what makes two comparable side by side: workload, scale and operations.
        citation: what it is cited by; None without a seal.
        document: of a run its verdicts, else None.
    """

    name: str
    kind: str
    written: str
    workload: str
    about: str
    says: str
    tier: str
    verified: str
    passes: bool
    signed: bool
    command: str
    again: str
    bundle: str
    parts: tuple[str, ...]
    page: str
    terms: str
    contenders: tuple[str, ...]
    machine: str
    group: str
    citation: Citation | None
    document: dict[str, Any] | None


class Made(msgspec.Struct, frozen=True):
    """An evidence with its files: the page and the bundle."""

    entry: Published
    page: bytes
    bundle: bytes


def made(one: Entry, bundles: dict[Path, str]) -> Made:
    """Verify an evidence, and read what the site says of it.

    Args:
        one: the evidence.
        bundles: of the site, by the evidence that they hold: that of the newest attempt has the earlier ones, too. A
            ladder is made after its rungs, whose bundles are its own.

    Raises:
        EvidenceFault: it cannot be read at all.
    """
    folder, kind = one.path, one.kind
    name = naming.given(folder)
    passes, verified = _verified(folder, kind)
    about = kind.about(folder)
    found, _ = summary(folder, kind)
    measured = _measured(folder, kind)
    document = _document(folder, VERDICTS) if kind.name == RUN.name else None
    packed, file, not_again = b"", bundles.get(folder.resolve(), ""), ""
    if measured and _sealed(measured):
        of = kind_of(measured).name
        not_again = why_not(of, measured)
        if not file:
            packed, file = bundle.packed(measured, of, not_again), f"bundles/{name}{bundle.SUFFIX}"
            bundles |= dict.fromkeys((folder.resolve(), *attempts.earlier_folders(measured)), file)
    environment = _environment(folder)
    command = environment.get("command") or _command(folder, kind)
    entry = Published(
        name=name,
        kind=kind.name,
        written=one.written.strftime("%Y-%m-%d %H:%M"),
        workload=one_line(about.workload, 80),
        about=one_line(about.about, 200),
        says=one_line(found.answer if found else _unsaid(about.end), 400),
        tier=(found.tier if found else "") or "",
        verified=verified,
        passes=passes,
        signed=signature.is_signed(folder),
        command=one_line(str(command), 1000),
        again=f"weigh reproduce {file.rpartition('/')[2]}" if file and not not_again else "",
        bundle=file,
        parts=_parts(folder, kind, bundles),
        page=f"evidence/{name}.html",
        terms=terms(measured or folder),
        contenders=found.contenders if found else (),
        machine=_machine(environment),
        group=_group(document),
        citation=cited(folder, one.written) if _sealed(folder) else None,
        document=document,
    )
    return Made(entry, _page(folder, kind), packed)


def terms(folder: Path) -> str:
    """What a vendor's licence says, of evidence of any kind, wherever in its document it stands (R8)."""
    document = _document(folder, file_of(kind_of(folder)))
    return one_line("; ".join(dict.fromkeys(_texts(document, codes.R8_TERMS.code))), 600)


def _measured(folder: Path, kind: Kind[Any, Any]) -> Path | None:
    """The evidence that a bundle can be of; None for a ladder, whose rungs have one each."""
    return None if kind.has_rungs else kind.inside(folder)[0]


def _parts(folder: Path, kind: Kind[Any, Any], bundles: dict[Path, str]) -> tuple[str, ...]:
    if not kind.has_rungs:
        return ()
    rungs = files.decoded(files.content(folder / kind.file), dict[str, Any]).get("rungs")
    names = [one.get("evidence") for one in rungs if isinstance(one, dict)] if isinstance(rungs, list) else []
    found = [bundles.get(folder.resolve().parent / str(one)) for one in names]
    return tuple(dict.fromkeys(one for one in found if one))


def _unsaid(end: str | None) -> str:
    """What is reported of evidence without a report that can be read."""
    return UNFINISHED if end is None else "its report cannot be read"


def _verified(folder: Path, kind: Kind[Any, Any]) -> tuple[bool, str]:
    try:
        found = kind.verify(folder)
    except (WeighError, OSError) as error:
        return False, one_line(str(error), 300)
    if found.passed:
        return True, "passes"
    problems = found.problems
    first = (
        f"{problems[0].code} {problems[0].file}: {problems[0].text}" if problems else "an evidence inside of it fails"
    )
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return False, one_line(first + more, 300)


def _page(folder: Path, kind: Kind[Any, Any]) -> bytes:
    path = folder / kind.page
    if files.is_regular(path):
        return files.content(path)
    return kind.html(folder)


def _sealed(folder: Path) -> bool:
    return files.is_regular(folder / SEAL)


def _document(folder: Path, name: str) -> dict[str, Any] | None:
    try:
        return files.decoded(files.content(folder / name), dict[str, Any])
    except (OSError, EvidenceFault):
        return None


def _command(folder: Path, kind: Kind[Any, Any]) -> str:
    """What made evidence without a journal: a ladder, or a reproduction, whose own evidence lies inside."""
    if kind.name == REPRODUCTION.name:
        return str(_environment(kind.inside(folder)[0]).get("command", ""))
    try:
        document = files.decoded(files.content(folder / kind.file), dict[str, Any])
    except (OSError, EvidenceFault):
        return ""
    plan = document.get("plan")
    return str(document.get("command") or (plan.get("command") if isinstance(plan, dict) else "") or "")


def _environment(folder: Path) -> dict[str, Any]:
    """What the first event of that name says; of a ladder nothing."""
    from weigh.evidence import journal

    try:
        for event in journal.events(folder):
            if event.event == "environment" and isinstance(event.body, dict):
                return event.body
    except EvidenceFault:
        pass
    return {}


def _machine(environment: dict[str, Any]) -> str:
    host = environment.get("host")
    if not isinstance(host, dict):
        return ""
    cpu, cores, kernel = (host.get(name) for name in ("cpu", "cores_allowed", "kernel"))
    # What could not be read is left out.
    words = (cpu and f"{cpu}", cores and f"{cores} cores", kernel and f"kernel {kernel}")
    return one_line(", ".join(word for word in words if word), 200)


def _texts(value: object, code: str) -> Iterator[str]:
    if isinstance(value, dict):
        if value.get("code") == code:
            yield str(value.get("text", ""))
        else:
            yield from (text for part in value.values() for text in _texts(part, code))
    elif isinstance(value, list):
        yield from (text for part in value for text in _texts(part, code))


def _group(document: dict[str, Any] | None) -> str:
    """Runs of the same questions over the same data; empty of everything else."""
    if document is None:
        return ""
    experiment = document.get("experiment") or {}
    operations = sorted({str(one.get("operation")) for one in document.get("verdicts", ()) if isinstance(one, dict)})
    if not operations:
        return ""
    return f"{experiment.get('workload')} {experiment.get('scale')} {experiment.get('seed')}: {', '.join(operations)}"
