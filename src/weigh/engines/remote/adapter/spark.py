"""Spark, through the client of Spark Connect."""

from __future__ import annotations

import atexit
import subprocess
import sys
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from weigh_worker import silence

from .linked_files import linked
from .profile import Profile
from .spark_session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa

    from .address import Address
    from .profile import Rows

_UNPARSED = ("ParseException", "AnalysisException", "UnsupportedOperationException")
_NOT_THERE = ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND")
"""Conditions of an analysis that say nothing of the query's text."""
_NETWORK = ("UNAVAILABLE", "INVALID_HANDLE.SESSION", "RETRIES_EXCEEDED", "failed to connect")


class Spark(Profile):
    """Spark from 4.0 on. The path of a URL is the schema."""

    name = "spark"
    lineage = "spark"
    about = "Spark Connect by URL (sc://), over tables that it has or that weigh registers for Parquet (weigh.place)"
    # pandas 3 is newer than the client; without it the client does not start.
    client = ("pyspark-client==4.2.0", "pandas==2.3.3", "grpcio==1.76.0", "grpcio-status==1.76.0")
    dialect = "spark"
    port = 15002
    hello = silence.HTTP
    secrets = ("SPARK_CONNECT_AUTHENTICATE_TOKEN",)
    options = ("use_ssl",)
    # It keeps no results of queries; CACHE TABLE keeps tables (Spark SQL guide, "Caching Data").
    scale = ("spark.master", "spark.driver.memory", "spark.executor.memory", "spark.executor.cores")
    session: ClassVar[Mapping[str, str]] = {
        "spark.sql.session.timeZone": "UTC",
        # Names in double quotes: standard SQL as the other contenders read it.
        "spark.sql.ansi.doubleQuotedIdentifiers": "true",
    }
    switches: ClassVar[Mapping[str, Mapping[str, str | int | bool]]] = {
        "no adaptive execution": {"spark.sql.adaptive.enabled": False},
        "no code generation": {"spark.sql.codegen.wholeStage": False},
        "no vectorised reader": {"spark.sql.parquet.enableVectorizedReader": False},
        "no pushdown of filters": {"spark.sql.parquet.filterPushdown": False},
    }
    ways = ("exists", "external")
    quote = "`"

    def connect(self, address: Address, options: Mapping[str, Any]) -> Any:
        """A session, and a process that interrupts its query where this life is killed in the middle of one."""
        from pyspark.sql.connect.client import DefaultChannelBuilder
        from pyspark.sql.connect.client.retries import DefaultPolicy
        from pyspark.sql.connect.session import SparkSession

        name = str(uuid.uuid4())
        ssl = ";use_ssl=true" if str(options.get("use_ssl", "")).lower() == "true" else ""
        url = f"sc://{address.host}:{address.port}/;user_id={address.user or 'weigh'};session_id={name}{ssl}"
        builder = DefaultChannelBuilder(url)
        if address.password:
            builder.set("token", address.password)
        spark = SparkSession(connection=builder)
        # By default a server that is gone is waited for ten minutes.
        spark.client.set_retry_policies([DefaultPolicy(max_retries=3)])
        found = Session(spark, _interrupter(url, address.password))
        # The client's channel never closes while the interpreter ends.
        atexit.register(found.close)
        if schema := address.part(0):
            found.cursor().execute(f"USE {self.quoted(schema)}")
        return found

    def version(self, ask: Callable[[str], Rows]) -> str:
        """Without the revision that it was built from."""
        return super().version(ask).partition(" ")[0]

    def settings(self, ask: Callable[[str], Rows]) -> dict[str, tuple[Any, Any]]:
        """Those of SQL, and what the server was started with; Spark says no defaults."""
        found = {str(row[0]): (row[1], None) for row in ask("SET -v")}
        return {**found, **{str(name): (value, None) for name, value in ask("SET")}}

    def mark(self, connection: Any) -> str:
        """Nothing to tell another session: a process of its own waits for the life's end (:func:`_interrupter`)."""
        return ""

    def put(self, ask: Callable[[str], Rows], name: str, value: str | float | bool) -> None:
        """Names that it does not know are refused: ``SET`` takes any."""
        if name not in self.session and name not in self.settings(ask):
            raise ValueError("SET -v does not list it")
        ask(f"SET {name}={str(value).lower() if isinstance(value, bool) else value}")

    def fetch(self, cursor: Any) -> pa.Table:
        """Arrow, as the client has it."""
        return cursor.table

    def register(
        self,
        ask: Callable[[str], Rows],
        table: str,
        columns: Sequence[tuple[str, str]],
        paths: Sequence[str],
        place: str,
    ) -> None:
        """A table over the folder of its files, with the columns that Spark itself finds in them."""
        folder = linked(table, paths, place, "which the server reads under the same name")
        ask(f"CREATE TABLE {self.quoted(table)} USING parquet LOCATION 'file://{folder}'")

    def type_name(self, kind: pa.DataType) -> str:
        """Any: which type a column has is for Spark to find in its files."""
        return str(kind)

    def unsupported(self, error: BaseException) -> bool:
        """By the class of the error, and its condition."""
        return type(error).__name__ in _UNPARSED and not any(one in str(error) for one in _NOT_THERE)

    def lost(self, error: BaseException) -> bool:
        """What gRPC says of the network, and the server of a session that it does not have."""
        from_grpc = type(error).__name__ in ("SparkConnectGrpcException", "RetriesExceeded", "_InactiveRpcError")
        return super().lost(error) or (from_grpc and any(one in str(error) for one in _NETWORK))


def _interrupter(url: str, token: str) -> subprocess.Popen[bytes]:
    """A process that waits for the life's end: a fork would share the client's threads and channel."""
    import os

    environment = {**os.environ, "SPARK_CONNECT_AUTHENTICATE_TOKEN": token} if token else None
    program = Path(__file__).with_name("spark_interrupt.py")
    return subprocess.Popen(
        # Isolated: a module of this folder is called as one of Python's own.
        [sys.executable, "-IB", str(program), url],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,
    )


PROFILE = Spark()
