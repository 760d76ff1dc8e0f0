"""Systems that are reached by URL: one engine a profile (docs/reference/systems.md)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from weigh.engines.engine import Engine, ResultCache, Switch
from weigh.engines.remote.adapter import PLACE, SECRET, WAY, profile_named, services
from weigh.model.contender import DRIVER, LINEAGE, URL

if TYPE_CHECKING:
    from weigh.engines.remote.adapter.profile import Profile

NAMES = ("adbc", "clickhouse", "dbapi", "h2", "mariadb", "spark", "trino", *services.SCHEMES)
_ADAPTER = Path(__file__).parent / "adapter" / "__init__.py"
ARROW = "pyarrow==26.0.1"


def engine_of(profile: Profile) -> Engine:
    """The engine that a profile describes."""
    client, *others = profile.client or ("",)
    package, _, version = client.partition("==")
    return Engine(
        name=profile.name,
        lineage=profile.lineage,
        adapter=_ADAPTER,
        package=package,
        # The version that a contender names is that of the client.
        numbering="own",
        tested=version,
        requires=(*others, ARROW),
        dialect=profile.dialect,
        copies=True,
        writes=profile.writes,
        lacks=("moments",) if profile.by_driver else (),
        variants=(
            *((DRIVER, LINEAGE) if profile.by_driver else (URL,)),
            WAY,
            SECRET,
            *((PLACE,) if "external" in profile.ways else ()),
        ),
        starting_s=profile.starting_s,
        switches=tuple(Switch(name=name, settings=dict(settings)) for name, settings in profile.switches.items()),
        caches=tuple(ResultCache(setting=name, off=off) for name, off in (profile.caches or {}).items()),
        keys=profile.keys,
        caches_known=profile.caches is not None,
        never_run=profile.never_run,
        sizes=profile.sizes,
        statistics=True,
        terms=profile.terms,
        about=profile.about,
    )


def __getattr__(name: str) -> Engine:
    """The engine of a profile, for its entry point."""
    if name not in NAMES:
        raise AttributeError(f"no system {name}")
    return engine_of(profile_named(name))
