"""Executed as a file in an environment with vortex-data: Vortex to Arrow streams on stdout.

It imports nothing of weigh. The one argument is a JSON object::

    {"files": [path, ...]}

Stdout carries one Arrow IPC stream for each file, one after another.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    """Read every file."""
    import pyarrow
    import vortex

    for path in json.loads(sys.argv[1])["files"]:
        rows = vortex.open(path).to_arrow()
        with pyarrow.ipc.new_stream(sys.stdout.buffer, rows.schema) as stream:
            for batch in rows:
                stream.write_batch(batch)


if __name__ == "__main__":
    main()
