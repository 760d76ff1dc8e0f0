"""The Engine: what weigh must know about one kind of system. Plug-ins make one (docs/reference/plugins.md)."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from weigh.host import plug_ins
from weigh.model.contender import DIALECT, URL, Contender, Setting
from weigh.model.data import schemes
from weigh.model.data.frames import is_frames
from weigh.model.data.store import FILE, TMPFS
from weigh.model.errors import EngineFault, UsageError, WeighError, nearest

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.metadata import EntryPoint

    from weigh.model.spec import Format

GROUP = "weigh.engines"
"""Entry point group. Ours come through the same door."""


class Switch(msgspec.Struct, frozen=True, kw_only=True):
    """An optimisation that must not change an answer; the gate executes with it changed and compares.

    Attributes:
        name: for people: ``bloom filter push-down off``.
        settings: engine settings that change it. A version that does not know them skips the switch.
        breaks: pattern of SQL on which the engine is wrong with these settings alone, which nobody uses; such a
            question is not asked with them.
    """

    name: str
    settings: dict[str, Setting]
    breaks: str = ""


class ResultCache(msgspec.Struct, frozen=True, kw_only=True):
    """A cache of whole results that would answer instead of the engine.

    Attributes:
        setting: the engine's setting.
        off: the value that switches it off, as the engine reads it back.
    """

    setting: str
    off: tuple[str, ...]


class Objects(msgspec.Struct, frozen=True, kw_only=True):
    """How an engine reads Parquet that lies in a store, as objects behind the protocol of S3.

    Attributes:
        requires: what its environment needs besides the engine; ``{version}`` stands for the engine's.
        settings: what is put in force where the contender asks for nothing else: caches off, and patience with a store
            that is gone bounded.
        versions: versions of its package that can; empty for all.
        lacks: why the others cannot, one sentence without its full stop.
    """

    requires: tuple[str, ...] = ()
    settings: dict[str, Setting] = {}
    versions: tuple[str, ...] = ()
    lacks: str = ""


class CatalogReader(msgspec.Struct, frozen=True, kw_only=True):
    """That an engine reads a table format, or files that are no Parquet, and with what.

    Attributes:
        format: ``iceberg``, ``ducklake`` or ``delta``; of files ``vortex``.
        requires: exact requirements that it needs besides the engine.
        versions: those of the engine's package that read it so; empty for all.
        why: why other versions do not, in a few words.
    """

    format: str
    requires: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    why: str = ""


class Engine(msgspec.Struct, frozen=True, kw_only=True):
    """An adapter to one kind of system.

    Attributes:
        name: as contenders write it.
        lineage: engines that share code have one lineage, and one vote in the gate; empty where it is not known.
        adapter: the one module that runs in the worker; defines ``class Engine(weigh_worker.Adapter)``.
        adapter_part: of an adapter that is a package, the module in it that defines the class; empty for the package.
        package: the package whose version a contender's ``@VERSION`` is; empty for an engine without one.
        numbering: ``package`` where the running engine names the version of its package, or the beginning of it;
            ``own`` where it numbers its releases in another way.
        tested: the version that weigh is tested with, used when a contender names none.
        tested_pins: further exact requirements used with ``tested``.
        requires: exact requirements of the adapter itself; a contender's own pin of the same package wins.
        dialect: key under which operations may carry other text for this engine. One that begins with ``frames/`` is
            that of a library of data frames: it is asked with functions alone, and its adapter is a
            ``weigh_worker.frames.FrameAdapter``.
        threads: the setting that limits threads, for the check of one thread against n, and to be read back.
        memory: the setting that limits memory, to be read back, and to be set where no control group can.
        memory_form: how that setting wants bytes: ``{bytes}``, or ``{mib}`` of them in MiB.
        spill: the setting that names the folder it spills to, to be read back.
        checksums: the setting that decides whether it compares the checksums of Parquet pages; empty without one.
        copies: the engine cannot query Parquet where it lies: its adapter has ``load`` and ``attach``, and weigh keeps
            what was loaded with the other caches.
        lacks: values that it has none for, and takes NULL in their place: ``nan``, or ``nested``, a list, map or struct
            that is NULL, for an empty one. Its adapter marks columns of answers in the same words. ``moments``: dates
            and timestamps are text in it, or may be, and are compared and counted with as such. ``decimals``: they are
            doubles in it, and what is just below a half there is rounded down.
        objects: how it reads objects of a store; None where it cannot. Its adapter has ``reach``.
        catalogs: table formats that its adapter reads (``bind_catalog``).
        formats: forms of files besides Parquet that its adapter reads (``bind``, by the end of a file's name).
        no_catalogs: why it does not read a format, in a few words, where more is known than that its adapter does not.
        ingests: the engine keeps tables of its own, and its adapter can load one under the clock: it has
            ``begin_ingest``, ``ingest``, ``guarantee`` and ``stored``.
        writes: the engine keeps tables of its own that several sessions change and ask at the same moment: its adapter
            has ``write_to`` and ``session``.
        confined: its lives read files and nothing else: no network, no server, no file of the system's configuration.
            Where its queries are others' (a suite), the kernel bounds them to that.
        variants: weigh's own settings (``weigh.url``) that the adapter understands.
        installation: programs that the folder of an installed server has, the server first, where a contender may be
            one (``ENGINE@FOLDER``); its adapter is told the folder with ``weigh.programs``.
        place: the one of them that names the folder of what is measured, and that ``ENGINE:FOLDER`` sets; empty where
            an engine is no folder.
        executables: files that such a folder must have, and that can be executed.
        starting_s: seconds that importing the engine and opening it may take, and each question about itself: a cold
            disk and 800 MB of library need some, a virtual machine or a cluster more.
        closing_s: seconds that ending a life may take before it is killed.
        switches: optimisations for the metamorphic checks.
        caches: result caches, to be read back as off.
        keys: what the names of environment variables begin with that its client takes its keys from.
        caches_known: whether these are all that there are.
        never_run: its adapter was written from documentation alone: no answer of the system was ever compared.
        sizes: settings that say how large a system by URL is, read back at the end of every session: one that grows
            meanwhile shows it.
        statistics: its adapter has ``statistics``: the system itself reports something of each execution.
        script: Python source of ``def ask(tables, sql, settings)``, which asks it without weigh and returns rows;
            for the reproducers of divergences. ``tables`` maps names to lists of Parquet paths.
        terms: what the vendor's licence says about publishing results; empty when nothing.
        about: one line for ``weigh engines``.
    """

    name: str
    lineage: str
    adapter: Path
    adapter_part: str = ""
    package: str = ""
    numbering: Literal["package", "own"] = "package"
    tested: str = ""
    tested_pins: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    dialect: str = ""
    threads: str = ""
    memory: str = ""
    memory_form: str = "{bytes}"
    spill: str = ""
    checksums: str = ""
    copies: bool = False
    lacks: tuple[Literal["nan", "nested", "moments", "decimals"], ...] = ()
    objects: Objects | None = None
    catalogs: tuple[CatalogReader, ...] = ()
    formats: tuple[CatalogReader, ...] = ()
    no_catalogs: dict[str, str] = {}
    ingests: bool = False
    writes: bool = False
    confined: bool = False
    variants: tuple[str, ...] = ()
    installation: tuple[str, ...] = ()
    place: str = ""
    executables: tuple[str, ...] = ()
    starting_s: float = 60.0
    closing_s: float = 5.0
    switches: tuple[Switch, ...] = ()
    caches: tuple[ResultCache, ...] = ()
    keys: tuple[str, ...] = ()
    caches_known: bool = True
    never_run: bool = False
    sizes: tuple[str, ...] = ()
    statistics: bool = False
    script: str = ""
    terms: str = ""
    about: str = ""

    def requirements(self, contender: Contender, wheel: Path | None = None, files: Format = "parquet") -> list[str]:
        """The requirements of a contender's environment, without what every environment gets.

        Args:
            contender: whose.
            wheel: of the engine's package, where that is no version of the index.
            files: form of the files that it reads.
        """
        pins = contender.pins
        ours = self.requires if contender.version else (*self.tested_pins, *self.requires)
        ours += next((one.requires for one in self.catalogs if one.format == contender.catalog), ())
        ours += next((one.requires for one in self.formats if one.format == files), ())
        if self.objects and contender.store not in ("", FILE, TMPFS):
            version = contender.release or self.tested
            ours += tuple(one.format(version=version) for one in self.objects.requires)
        named = {pin.split("==")[0] for pin in pins}
        pins += tuple(pin for pin in ours if pin.split("==")[0] not in named)
        installed = contender.build is not msgspec.UNSET and contender.build.kind == "installation"
        if not self.package or installed:
            return list(pins)
        main = f"{self.package} @ {wheel.as_uri()}" if wheel else f"{self.package}=={contender.release or self.tested}"
        return [main, *pins]


def installed() -> dict[str, EntryPoint]:
    """Every engine that can be named, by name. Nothing is imported."""
    return plug_ins.entries(GROUP)


def readers(kind: str, readers_of: Callable[[Engine], tuple[CatalogReader, ...]]) -> list[str]:
    """Specs of contenders that read a format, by what their engines say that they read."""
    found = []
    for name in sorted(installed()):
        # One that cannot be loaded reads nothing.
        with suppress(WeighError):
            engine = load(name)
            for one in readers_of(engine):
                if one.format == kind:
                    version = "" if not one.versions or engine.tested in one.versions else f"@{one.versions[0]}"
                    found.append(f"{name}{version}")
    return found


def of(contender: Contender) -> Engine:
    """The engine of a contender, which speaks the dialect that its settings name.

    Raises:
        UsageError: no such engine is installed, or no engine speaks that dialect.
        EngineFault: its package cannot be imported or does not hold an Engine.
    """
    engine = load(contender.engine, by_url=URL in contender.settings)
    dialect = contender.settings.get(DIALECT)
    if dialect is None or DIALECT not in engine.variants:
        return engine
    known = {one.dialect for one in map(load, installed()) if one.dialect and not is_frames(one.dialect)}
    if dialect not in known:
        raise UsageError(
            f"no engine speaks the dialect '{dialect}'",
            where=f"contender {contender.name}",
            remedy=nearest(str(dialect), known),
        )
    return msgspec.structs.replace(engine, dialect=str(dialect))


def load(name: str, *, by_url: bool = False) -> Engine:
    """The engine of that name.

    Raises:
        UsageError: no such engine is installed.
        EngineFault: its package cannot be imported or does not hold an Engine.
    """
    entry = installed().get(name)
    if entry is None:
        raise UsageError(
            f"there is no engine '{name}'",
            remedy=schemes.for_contender(name, by_url=by_url) or nearest(name, installed()),
        )
    try:
        engine = entry.load()
    except Exception as error:
        raise EngineFault(
            f"engine '{name}' cannot be loaded from {entry.value}: {error}",
            remedy="reinstall the package that brings it",
        ) from error
    if not isinstance(engine, Engine):
        raise EngineFault(
            f"{entry.value} is not a weigh Engine", remedy="see docs/reference/plugins.md, 'Adding an engine'"
        )
    return engine
