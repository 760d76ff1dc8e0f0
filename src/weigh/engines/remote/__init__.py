"""Systems that are reached by URL: one engine a profile (docs/reference/remote.md)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from weigh.engines.engine import Engine, ResultCache, Switch
from weigh.engines.remote.adapter import PLACE, SECRET, WAY, mariadb
from weigh.engines.remote.adapter import adbc as adbc_profile
from weigh.engines.remote.adapter import dbapi as dbapi_profile
from weigh.engines.remote.adapter import trino as trino_profile
from weigh.engines.remote.adapter.services import (
    athena as athena_profile,
    bigquery as bigquery_profile,
    databricks as databricks_profile,
    motherduck as motherduck_profile,
    mssql as mssql_profile,
    oracle as oracle_profile,
    redshift as redshift_profile,
    snowflake as snowflake_profile,
)
from weigh.model.contender import DRIVER, LINEAGE, URL

if TYPE_CHECKING:
    from weigh.engines.remote.adapter.profile import Profile

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
        variants=(
            *((DRIVER, LINEAGE) if profile.by_driver else (URL,)),
            WAY,
            SECRET,
            *((PLACE,) if "external" in profile.ways else ()),
        ),
        starting_s=profile.starting_s,
        switches=tuple(Switch(name=name, settings=dict(settings)) for name, settings in profile.switches.items()),
        caches=tuple(ResultCache(setting=name, off=off) for name, off in (profile.caches or {}).items()),
        caches_known=profile.caches is not None,
        never_run=profile.never_run,
        statistics=True,
        terms=profile.terms,
        about=profile.about,
    )


adbc = engine_of(adbc_profile.PROFILE)
dbapi = engine_of(dbapi_profile.PROFILE)
maria = engine_of(mariadb.PROFILE)
trino = engine_of(trino_profile.PROFILE)
athena = engine_of(athena_profile.PROFILE)
bigquery = engine_of(bigquery_profile.PROFILE)
databricks = engine_of(databricks_profile.PROFILE)
motherduck = engine_of(motherduck_profile.PROFILE)
mssql = engine_of(mssql_profile.PROFILE)
oracle = engine_of(oracle_profile.PROFILE)
redshift = engine_of(redshift_profile.PROFILE)
snowflake = engine_of(snowflake_profile.PROFILE)
