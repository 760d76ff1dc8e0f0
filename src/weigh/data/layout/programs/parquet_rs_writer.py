"""Executed as a file in an environment with arro3-io and nanoarrow: Arrow streams from stdin to Parquet.

arro3-io writes with the Rust crate parquet, and sets its properties. This imports nothing of weigh. The one argument is
a JSON object::

    {"files": [path, ...], "options": {"compression": "zstd(1)", "max_row_group_size": 122880}}

Stdin carries one Arrow IPC stream for each file, one after another. Stdout gets arro3-io's version as JSON.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version


def main() -> None:
    """Write every file, then say which arro3-io did it."""
    job = json.loads(sys.argv[1])
    import nanoarrow
    from arro3.io import write_parquet

    for path in job["files"]:
        stream = nanoarrow.ArrayStream.from_readable(sys.stdin.buffer)
        write_parquet(stream, path, **job["options"])
        stream.close()
    json.dump({"arro3-io": version("arro3-io")}, sys.stdout)


if __name__ == "__main__":
    main()
