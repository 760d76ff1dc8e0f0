"""Executed as a file in an environment with Polars and nanoarrow: Arrow streams from stdin to Parquet.

It imports nothing of weigh. The one argument is a JSON object::

    {"files": [path, ...], "options": {"compression": "zstd", "row_group_size": 122880}, "threads": 2}

Stdin carries one Arrow IPC stream for each file, one after another. Stdout gets Polars' version as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


def main() -> None:
    """Write every file, then say which Polars did it."""
    job = json.loads(sys.argv[1])
    # Read when Polars is loaded.
    os.environ["POLARS_MAX_THREADS"] = str(job["threads"])
    import nanoarrow
    import polars
    from polars.io.plugins import register_io_source

    for path in job["files"]:
        stream = nanoarrow.ArrayStream.from_readable(sys.stdin.buffer)

        def frames(_columns: Any, _predicate: Any, _rows: Any, _size: Any, stream: Any = stream) -> Iterator[Any]:
            for batch in stream:
                yield polars.DataFrame(batch)

        schema = polars.Schema(stream.schema)
        register_io_source(frames, schema=schema).sink_parquet(path, **job["options"])
        stream.close()
    json.dump({"polars": polars.__version__}, sys.stdout)


if __name__ == "__main__":
    main()
