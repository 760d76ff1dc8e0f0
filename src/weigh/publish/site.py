"""The site: an index with filters, a page and a bundle an evidence, rankings, comparisons and histories."""

from __future__ import annotations

import shutil
from contextvars import copy_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from markupsafe import Markup

from weigh._native import hash_bytes
from weigh._version import __version__
from weigh.evidence import bundle, files, seal, whole
from weigh.experiment import record as records
from weigh.kinds.folder import entries
from weigh.model.errors import EvidenceFault, UsageError, WeighError
from weigh.publish import folded
from weigh.publish.entries import made
from weigh.publish.groups import groups
from weigh.publish.ranking import rankings
from weigh.render.html import templates

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weigh.kinds.folder import Entry
    from weigh.model.progress import Progress
    from weigh.publish.entries import Published

SCHEMA = "weigh/site/1"
LIST = "site.json"
_HERE = Path(__file__).parent / "templates"
_BODY = b"<body>"
_INLINE, _SHARED = b"style-src 'unsafe-inline'", b"style-src 'self' file: 'unsafe-inline'"
"""What a page allows of style: its own rules, and here those of the site, also where it is read from a disk."""
_CHOICES = 12
"""Values of a filter that are offered; the rest is found by the page's own search."""


class Site(NamedTuple):
    """What was written.

    Attributes:
        entries: what is in it, the newest first.
        left_out: names with why.
        bytes: of all files.
    """

    entries: tuple[Published, ...]
    left_out: tuple[tuple[str, str], ...]
    bytes: int


class SiteDocument(msgspec.Struct, frozen=True, kw_only=True):
    """``site.json``: the index for programs, in the words of schema.org where it has some.

    Attributes:
        weigh: version that wrote it.
        files: of the site, which the next one replaces.
        evidence: one an evidence, the newest first: name, kind, dates, what it says, verify's result, files, citation;
            ``hasPart`` are of a ladder the bundles of its rungs.
    """

    weigh: str
    files: tuple[str, ...]
    evidence: tuple[dict[str, Any], ...]


def publish(folder: Path, out: Path, progress: Progress, *, title: str = "", with_terms: bool = False) -> Site:
    """Write the site of a folder of evidence.

    Args:
        folder: of the evidence.
        out: of the site: a new folder, an empty one, or one of an earlier site, which is replaced.
        progress: receives messages.
        title: of the site.
        with_terms: also publish what a vendor's licence speaks of.

    Raises:
        EvidenceFault: there is no such folder, or no evidence in it.
        UsageError: ``out`` holds something else.
    """
    found, left_out = _found(folder)
    if not found:
        why = "".join(f"; {name}: {text}" for name, text in left_out[:1])
        raise EvidenceFault(f"there is no evidence in it{why}", where=str(folder), remedy="weigh run --out makes some")
    _clear(out)
    written: dict[str, int] = {}
    published: list[Published] = []
    styles: dict[str, bytes] = {}
    bundles: dict[Path, str] = {}
    folds: dict[str, str] = {}

    def write(name: str, content: bytes) -> None:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        whole.write(out / name, content)
        written[name] = len(content)

    reading = copy_context()
    reading.run(records.records_read.set, {})
    # Rungs come before the ladder that links to their bundles.
    for at, one in enumerate(sorted(found, key=lambda one: one.kind.has_rungs), start=1):
        progress.say(f"{at} of {len(found)}: {one.path.name}")
        try:
            evidence = reading.run(made, one, bundles)
        except (WeighError, OSError) as error:
            left_out.append((one.path.name, str(error)))
            continue
        entry = evidence.entry
        if entry.terms and not with_terms:
            left_out.append((entry.name, f"R8: {entry.terms}"))
            bundles = {place: file for place, file in bundles.items() if file != entry.bundle}
            continue
        published.append(entry)
        if evidence.bundle:
            write(entry.bundle, evidence.bundle)
        page = folded.once(_with_bar(evidence.page, entry), Path(entry.page).name, folds)
        write(entry.page, _apart(page, styles))
    published.sort(key=lambda one: (one.written, one.name), reverse=True)
    title = title or "Evidence"
    grouped = groups(published)
    for group in grouped:
        write(group.page, _apart(_rendered("group.html", title=title, group=group), styles))
    for name, rules in styles.items():
        write(name, rules)
    write("ranking.html", _rendered("ranking.html", title=title, rankings=rankings(published)))
    write("index.html", _index(title, published, {one.group: one.page for one in grouped}))
    names = (*written, LIST)
    document = SiteDocument(weigh=__version__, files=names, evidence=tuple(map(_listed, published)))
    write(LIST, seal.json_bytes({"schema": SCHEMA, **msgspec.to_builtins(document)}))
    return Site(tuple(published), tuple(left_out), sum(written.values()))


def _found(folder: Path) -> tuple[list[Entry], list[tuple[str, str]]]:
    """The evidence of a folder and of the bundles in it, the newest first; and the bundles that cannot be read."""
    found = {one.path.name: one for one in entries(folder)}
    left_out = []
    for path in sorted(folder.glob(f"*{bundle.SUFFIX}")):
        try:
            for one in entries(bundle.opened(path).parent):
                found.setdefault(one.path.name, one)
        except (WeighError, OSError) as error:
            left_out.append((path.name, str(error)))
    return sorted(found.values(), key=lambda one: (one.written, one.path.name), reverse=True), left_out


def _clear(out: Path) -> None:
    """Make room: what an earlier site wrote goes, and nothing else."""
    if not out.exists():
        return
    if not out.is_dir():
        raise UsageError("it is no folder", where=str(out), remedy="name a new one: --out site")
    if files.is_regular(out / LIST):
        written = files.decoded(files.content(out / LIST), dict[str, object]).get("files")
        for name in written if isinstance(written, list) else ():
            path = (out / str(name)).resolve()
            if path.is_relative_to(out.resolve()):
                path.unlink(missing_ok=True)
        for name in ("evidence", "bundles", "compare", "style"):
            if (out / name).is_dir() and not any((out / name).iterdir()):
                shutil.rmtree(out / name)
    elif any(out.iterdir()):
        raise UsageError(
            "it holds something that is no site of weigh's", where=str(out), remedy="name a new folder: --out site"
        )


def _with_bar(page: bytes, entry: Published) -> bytes:
    """A page with what the site says of it above its own heading."""
    bar = _rendered("bar.html", one=entry)
    head, body, rest = page.partition(_BODY)
    return head + body + bar + rest if body else bar + page


def _apart(page: bytes, styles: dict[str, bytes]) -> bytes:
    """A page with its rules of style in a file that pages share: they are a third of most.

    Args:
        page: as it is kept.
        styles: files of the site by name, to which its own is added.
    """
    head, begin, rest = page.partition(b"<style>\n")
    rules, end, body = rest.partition(b"</style>")
    if not begin or not end or _INLINE not in head:
        return page
    name = f"style/{hash_bytes(rules)[:12]}.css"
    styles[name] = rules
    link = f'<link rel="stylesheet" href="../{name}">'.encode()
    return head.replace(_INLINE, _SHARED) + link + body


def _rendered(template: str, **values: object) -> bytes:
    return templates(_HERE).get_template(template).render(environment={"weigh": __version__}, **values).encode()


class Filter(NamedTuple):
    """A choice of the index, which style alone carries out.

    Attributes:
        name: what is chosen by.
        values: each with the class of the rows that have it.
    """

    name: str
    values: tuple[tuple[str, str], ...]


def _index(title: str, published: Sequence[Published], pages: dict[str, str]) -> bytes:
    filters = [
        _filter("kind", (one.kind for one in published)),
        _filter("workload", (one.workload for one in published)),
        _filter("contender", (name for one in published for name in one.contenders)),
        _filter("tier", (one.tier for one in published)),
        _filter("verify", ("passes" if one.passes else "fails" for one in published)),
    ]
    rows = [(one, " ".join(_classes(one, filters)), pages.get(one.group, "")) for one in published]
    rules = "".join(
        f"body:has(#{css}:checked) .row:not(.{css}){{display:none}}\n" for one in filters for _, css in one.values
    )
    failing = sum(not one.passes for one in published)
    return _rendered("index.html", title=title, rows=rows, filters=filters, failing=failing, rules=Markup(rules))


def _filter(name: str, values: Iterable[str]) -> Filter:
    known = sorted({one for one in values if one})
    return Filter(name, tuple((value, f"{name}-{at}") for at, value in enumerate(known[:_CHOICES])))


def _classes(one: Published, filters: Sequence[Filter]) -> list[str]:
    has = {
        "kind": {one.kind},
        "workload": {one.workload},
        "contender": set(one.contenders),
        "tier": {one.tier},
        "verify": {"passes" if one.passes else "fails"},
    }
    return [css for each in filters for value, css in each.values if value in has[each.name]]


def _listed(one: Published) -> dict[str, object]:
    citation = msgspec.to_builtins(one.citation) if one.citation else None
    return {
        "@type": "Dataset",
        "name": one.name,
        "dateCreated": one.written,
        "description": one.says,
        "url": one.page,
        "distribution": one.bundle,
        "hasPart": one.parts,
        "kind": one.kind,
        "workload": one.workload,
        "tier": one.tier,
        "verify": one.verified,
        "signed": one.signed,
        "command": one.command,
        "again": one.again,
        "citation": citation,
    }
