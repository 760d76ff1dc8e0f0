"""Executed as a file in an environment with vortex-data: Arrow streams from stdin to Vortex.

It imports nothing of weigh. The one argument is a JSON object::

    {"files": [path, ...]}

Stdin carries one Arrow IPC stream for each file, one after another. Stdout gets the version of vortex-data as JSON.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version


def main() -> None:
    """Write every file, then say which vortex-data did it."""
    import pyarrow
    import vortex

    job = json.loads(sys.argv[1])
    for path in job["files"]:
        with pyarrow.ipc.open_stream(sys.stdin.buffer) as stream:
            vortex.io.write(stream, path)
    json.dump({"vortex-data": version("vortex-data")}, sys.stdout)


if __name__ == "__main__":
    main()
