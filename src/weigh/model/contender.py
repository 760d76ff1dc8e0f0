"""Contenders: an engine at an exact version with its complete settings."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote

import msgspec

from weigh.model.build import Build, BuildRead
from weigh.model.data import schemes
from weigh.model.errors import UsageError
from weigh.model.resources import ResourcesRead
from weigh.model.text import without_passwords

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Setting = str | int | float | bool

_LARGEST = 1 << 63

URL = "weigh.url"
"""Where the server of a contender is, for engines that can be reached by URL."""

DIALECT = "weigh.dialect"
"""Which SQL a contender is asked in, for engines that are several systems."""

DRIVER = "weigh.driver"
"""``dbapi:MODULE`` or ``adbc:NAME`` of a contender, whose settings are the arguments of its ``connect``."""

LINEAGE = "weigh.lineage"
"""What code a contender by driver is, as its user says: engines that share code have one vote in the gate."""

COMMAND, FOLDER = "weigh.command", "weigh.folder"
"""The command that a contender is, ``command:TEXT``, and the folder that it is executed in."""

SYSTEM = "weigh.system"
"""The folder of a contender that is scripts and no package: what ``ENGINE:FOLDER`` sets."""

DATA_KEYS = ("layout", "catalog", "store")
"""Keys of a contender's spec that say how and where its data lies. They are weigh's own, and reach no engine."""
DEFAULT_LAYOUT = "default"
"""What the layout without a name is called where it needs one."""
SUPPORT = ("nanoarrow", "numpy", "pandas", "pyarrow")
"""Packages that engines hand answers out with: another version of them is no other engine."""
_LAYOUT = re.compile(r"[A-Za-z0-9_][\w.-]*")

_SPEC = re.compile(
    r"^(?:(?P<name>[\w.-]+)=)?(?P<engine>[A-Za-z_][\w-]*)(?::(?P<place>[^?]+))?(?:@(?P<version>[^?]+?\.whl(?=[+?]|$)|[^+?\s]+))?"
    r"(?P<pins>(?:\+[^+?\s]+)*)(?:\?(?P<settings>.*))?$"
)
_HOST = r"(?:\[[\w:.%]*\]|[^\s:@/?#\[\]]*)(?::\d+)?"
_URL = re.compile(
    rf"[a-z][a-z0-9+.-]*://(?:[^\s:@/?#]*(?::(?P<password>[^\s/?#]*))?@)?(?P<hosts>{_HOST}(?:,{_HOST})*)(?P<rest>(?:[/?].*)?)"
)
_BY_URL = re.compile(r"^(?:(?P<name>[\w.-]+)=)?(?P<scheme>[a-z][a-z0-9+.-]*)(?P<rest>://[^?]*)(?:\?(?P<settings>.*))?$")
_BY_DRIVER = re.compile(
    r"^(?:(?P<name>[\w.-]+)=)?(?P<scheme>dbapi|adbc):(?P<module>[A-Za-z_][\w.]*)(?P<pins>(?:\+[^+?\s]+)*)(?:\?(?P<settings>.*))?$"
)
_BY_COMMAND = re.compile(r"^(?:(?P<name>[\w.-]+)=)?command:(?P<text>.+)$", re.DOTALL)
_SECRET = re.compile(r"passw|pwd|token|secret|credential|private|api_?key|access_?key", re.IGNORECASE)
"""In the name of an argument whose value is one."""
_INSIDE = re.compile(
    r"(?:passw|pwd|token|secret|credential|private_?key|api_?key|access_?key)\w*[\"']?\s*[=:]\s*[^\s&;]", re.IGNORECASE
)
"""In a value that is itself arguments, as ``conninfo``, ``dsn`` and ``uri`` are."""
_PASSED = re.compile(
    r"(?:(?:^|\s)-+[\w-]*(?:passw|pwd|token|secret|credential|api[_-]?key|access[_-]?key)[\w-]*[=\s]\s*"
    r"|\b\w*(?:passw|pwd|token|secret|credential|api_?key|access_?key)\w*=)(?!\d+(?:\s|$))\S",
    re.IGNORECASE,
)
"""In a command: an option or a variable with such a name, and a value that is no number."""
_ENGINES = {"postgresql": "postgres", "sc": "spark"}
"""Engines of schemes that are called otherwise."""
_ADBC = {"bigquery": "1.11.0", "flightsql": "1.13.0", "postgresql": "1.13.0", "snowflake": "1.11.0", "sqlite": "1.13.0"}
"""Drivers of Apache Arrow ADBC, packages ``adbc-driver-NAME``, and the version of each that is installed by default."""
_PIN = re.compile(r"^[A-Za-z0-9][\w.-]*(\[[\w,-]+\])?==[\w.!*-]+$")


class Contender(msgspec.Struct, frozen=True, kw_only=True):
    """What is compared.

    Attributes:
        name: unique in the experiment; the default is the spec it was made from.
        engine: name of the engine adapter (entry point ``weigh.engines``).
        version: version of the engine's main package; empty means weigh's tested pin. A path or ``git:REVISION`` is no
            version of the index, and then there is a build.
        build: what that is, by its content; left out for versions of the index, and until it is known.
        pins: further exact requirements, ``package==version``.
        settings: the engine's own settings; keys with the prefix ``weigh.`` are variants of ours.
        layout: name of the physical form of its data (:attr:`weigh.model.spec.Spec.layouts`); empty for the default.
        catalog: table format through which it finds its files; empty for none.
        store: where its files lie; empty for a folder of this machine.
    """

    name: str
    engine: str
    version: str = ""
    build: Build | msgspec.UnsetType = msgspec.UNSET
    pins: tuple[str, ...] = ()
    settings: dict[str, Setting] = {}
    layout: str = ""
    catalog: str = ""
    store: str = ""

    @property
    def spec(self) -> str:
        """Engine, version, pins and what its data is, as the command line takes them; the settings are left out."""
        version = f"@{self.version}" if self.version else ""
        data = "&".join(f"{key}={value}" for key, value in self.data.items())
        return self.engine + version + "".join(f"+{pin}" for pin in self.pins) + (f"?{data}" if data else "")

    @property
    def release(self) -> str:
        """Version of its package; empty where that is the tested one, or is not known before it is built."""
        return self.version if self.build is msgspec.UNSET else self.build.version

    @property
    def data(self) -> dict[str, str]:
        """How and where its data lies, as far as that is not left open."""
        return {key: value for key in DATA_KEYS if (value := getattr(self, key))}

    @property
    def remote(self) -> bool:
        """Whether it is a system that weigh does not start: reached by a URL, or by a module that connects to it."""
        return URL in self.settings or DRIVER in self.settings

    def engine_settings(self) -> dict[str, Setting]:
        """The settings that go to the engine."""
        return {key: value for key, value in self.settings.items() if not key.startswith("weigh.")}


def engine_pins(pins: Iterable[str]) -> set[str]:
    """Pins but for those of packages that engines only hand answers out with."""
    return {pin for pin in pins if pin.partition("==")[0].lower() not in SUPPORT}


def parse_contender(text: str) -> Contender:
    """A contender from the command line.

    It is written ``[NAME=]ENGINE[:FOLDER|@VERSION][+PIN...][?KEY=VALUE&...]``, or ``[NAME=]URL[?KEY=VALUE&...]`` with
    the engine as the scheme.

    Raises:
        UsageError: the text does not have that form.
    """
    if by_command := _BY_COMMAND.match(text.strip()):
        return _by_command(by_command)
    if by_url := _BY_URL.match(text.strip()):
        return _by_url(by_url)
    if by_driver := _BY_DRIVER.match(text.strip()):
        return _by_driver(by_driver, text.strip())
    schemes.refuse_jdbc(text.strip())
    match = _SPEC.match(text.strip())
    if match is None:
        raise UsageError(
            f"'{without_passwords(text)}' is not a contender",
            remedy="write ENGINE[@VERSION][+PACKAGE==VERSION...][?KEY=VALUE&...], e.g. duckdb@2.0.0?threads=2",
        )
    if "://" in text.partition("?")[0]:
        # A token in it would be in every report, and whoever wrote it meant a wheel that lies elsewhere.
        raise UsageError(
            "the version of a contender is no address",
            where=f"contender {match['name'] or match['engine']}",
            remedy="download the wheel and name the file, e.g. duckdb@./dist/duckdb-2.0.0.whl",
        )
    pins = tuple(pin for pin in match["pins"].split("+") if pin)
    for pin in pins:
        check_pin(pin)
    settings, places = _given(match["settings"])
    if match["place"]:
        settings[SYSTEM] = match["place"]
        check_secrets(settings)
    check_url(settings)
    return Contender(
        name=match["name"] or text.strip(),
        engine=match["engine"],
        version=match["version"] or "",
        pins=pins,
        settings=settings,
        **places,
    )


def _by_url(match: re.Match[str]) -> Contender:
    """A contender whose server is named by its URL; without a name it is called by the URL without its user."""
    settings, places = _given(match["settings"])
    scheme, rest = match["scheme"], match["rest"]
    settings[URL] = scheme + rest
    check_url(settings)
    check_secrets(settings)
    called = scheme + "://" + rest.removeprefix("://").rpartition("@")[2]
    return Contender(name=match["name"] or called, engine=_ENGINES.get(scheme, scheme), settings=settings, **places)


def _by_driver(match: re.Match[str], text: str) -> Contender:
    """A contender by the module that connects to it; the packages that it needs are pins."""
    settings, places = _given(match["settings"])
    settings[DRIVER] = f"{match['scheme']}:{match['module']}"
    check_url(settings)
    check_secrets(settings)
    pins = tuple(pin for pin in match["pins"].split("+") if pin)
    for pin in pins:
        check_pin(pin)
    if match["scheme"] == "adbc" and not pins and match["module"] in _ADBC:
        pins = (f"adbc-driver-{match['module']}=={_ADBC[match['module']]}",)
    return Contender(name=match["name"] or text, engine=match["scheme"], pins=pins, settings=settings, **places)


def _by_command(match: re.Match[str]) -> Contender:
    """A command. It is its own lineage: that two of them print the same is what is asked."""
    text = match["text"].strip()
    name = match["name"] or text
    settings: dict[str, Setting] = {COMMAND: text, LINEAGE: name}
    check_secrets(settings)
    return Contender(name=name, engine="command", settings=settings)


def _given(text: str | None) -> tuple[dict[str, Setting], dict[str, Any]]:
    """Settings of a spec, and those of its keys that say how its data lies."""
    given = parse_qsl(text or "", True)
    settings = {key: parse_setting(value) for key, value in given if key not in DATA_KEYS}
    return settings, {key: _data(key, value) for key, value in given if key in DATA_KEYS}


def _data(key: str, value: str) -> str:
    if not value:
        raise UsageError(f"{key} = nothing", remedy=f"write {key}=NAME, or leave it out")
    return layout_name(value) if key == "layout" else value


def layout_name(text: str) -> str:
    """The name of a layout, empty for the default one.

    Raises:
        UsageError: it cannot be a name.
    """
    if text and not _LAYOUT.fullmatch(text):
        raise UsageError(
            f"'{text}' cannot be a layout's name", remedy="letters, digits, dots, - and _, e.g. [layout.many]"
        )
    return "" if text == DEFAULT_LAYOUT else text


def check_pin(pin: str) -> None:
    """Only an exact version makes a contender one thing.

    Raises:
        UsageError: the pin is not ``package==version``.
    """
    if not _PIN.match(pin):
        raise UsageError(f"'{pin}' is not an exact pin", remedy="write PACKAGE==VERSION")


def check_url(settings: Mapping[str, Setting]) -> None:
    """A password in a URL would be in every report: it is refused before anything is written, and not repeated.

    Raises:
        UsageError: there is one in a setting, or the value of ``weigh.url`` is no URL.
    """
    for name, value in settings.items():
        if name != URL and without_passwords(str(value)) != str(value):
            raise UsageError(
                f"{name} holds a URL with a password: secrets do not belong into evidence",
                remedy="leave the password out; an engine may read it from a variable of its own or from a file",
            )
    if URL not in settings:
        return
    text = str(settings[URL])
    match = _URL.fullmatch(text)
    # A mark of punctuation that is not encoded ends the part of a URL that it stands in: what lies behind it may be
    # half of a password.
    ports = re.findall(r":(\d+)(?=,|$)", match["hosts"]) if match else []
    if match is None or "@" in match["rest"] or not all(0 < int(port) <= 65535 for port in ports):
        raise UsageError(
            f"{URL} is not a URL, or its port is no number from 1 to 65535",
            remedy="write SCHEME://USER@HOST:PORT/DATABASE, with %40 for an @ of its own, %2F for a /, %25 for a %",
        )
    rest = unquote(match["rest"])
    if match["password"] or "password" in rest.partition("?")[2].lower() or _INSIDE.search(rest):
        raise UsageError(
            f"{URL} holds a password: secrets do not belong into evidence",
            remedy="leave it out of the URL, and put it into PGPASSWORD or ~/.pgpass",
        )


def check_secrets(settings: Mapping[str, Setting]) -> None:
    """What a driver or a session is given is in every report, as the settings of every contender are.

    Raises:
        UsageError: a name among them says that it is a secret.
    """
    command = str(settings.get(COMMAND, ""))
    if _PASSED.search(command) or without_passwords(command) != command:
        raise UsageError(
            "the command holds a secret: secrets do not belong into evidence",
            remedy="let it read the secret from a variable or from a file",
        )
    if not settings.keys() & {URL, DRIVER, SYSTEM}:
        return
    for name in settings:
        if not name.startswith("weigh.") and _SECRET.search(name):
            raise UsageError(
                f"{name} is a secret by its name: secrets do not belong into evidence",
                remedy="write weigh.secret=VARIABLE, or the path of a file that only you can read",
            )
        if not name.startswith("weigh.") and _INSIDE.search(unquote(str(settings[name]))):
            raise UsageError(
                f"{name} holds a secret: secrets do not belong into evidence",
                remedy="leave it out there, and write weigh.secret=VARIABLE, or =FILE that only you can read",
            )


def parse_setting(text: str) -> Setting:
    """A setting's value as the engine should see it: int, float, bool or text."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return text if unwritable(value := kind(text)) else value
        except ValueError:
            continue
    return text


def unwritable(value: Setting) -> bool:
    """Whether the value is a number that not every reader of JSON has: evidence with it could not be read again."""
    if isinstance(value, float):
        return not math.isfinite(value)
    return isinstance(value, int) and abs(value) >= _LARGEST


class ContenderRead(msgspec.Struct, frozen=True, kw_only=True):
    """A contender as its running engine described itself.

    Attributes:
        name: of the contender.
        engine: name of the adapter.
        lineage: its vote in the gate.
        version: the engine's own word.
        pins: what was asked for alongside the version.
        settings: settings that were asked for.
        in_force: settings read back: name -> {value, default}.
        environment: key of its environment.
        lock: every package with its exact version.
        terms: the vendor's publication terms.
        resources: what it may use, as the kernel and the engine say.
        package: version of its main package, from the package's own files; empty where it has none.
        background: what it does between queries, as its adapter declares; empty for nothing.
        elsewhere: whether its adapter says that other processes execute.
        build: what was installed; left out for versions of the index.
        files: digest of the engine's files, as its installer recorded them; left out where there is none.
        edited: SHA-256 of each of its files that is not what its installer recorded; left out where there is none.
        frames: of a library of data frames, the dialect of the functions that it executes; else left out.
    """

    name: str
    engine: str
    lineage: str
    version: str
    pins: tuple[str, ...] = ()
    settings: dict[str, Any] = {}
    in_force: dict[str, Any] = {}
    environment: str = ""
    lock: str = ""
    terms: str = ""
    resources: ResourcesRead | msgspec.UnsetType = msgspec.field(name="told", default=msgspec.UNSET)
    package: str = ""
    background: str = ""
    elsewhere: bool = False
    build: BuildRead | msgspec.UnsetType = msgspec.UNSET
    files: str | msgspec.UnsetType = msgspec.UNSET
    edited: dict[str, str] | msgspec.UnsetType = msgspec.UNSET
    frames: str | msgspec.UnsetType = msgspec.UNSET

    @property
    def says(self) -> str:
        """Engine and version, and the build where that is none of the index."""
        return f"{self.engine} {self.version}" + ("" if self.build is msgspec.UNSET else f" ({self.build})")


class Variation(msgspec.Struct, frozen=True, kw_only=True):
    """One contender in several widths: members of the same experiment, so that their ratios have intervals.

    Attributes:
        contender: the name it was varied from.
        key: the setting, as its engine calls it.
        threads: whether that setting limits the engine's threads.
        members: the value of the setting by the name of the member.
    """

    contender: str
    key: str
    threads: bool
    members: dict[str, Setting]
