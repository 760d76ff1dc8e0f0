"""The entry point: the command ``weigh``, and ``python -m weigh``."""

import gc
import os
import sys

_COLLECTED = 1_000_000
"""New objects after which garbage is looked for. Evidence is read into millions that all stay: with Python's 700 that
takes a third of the time of `weigh verify`."""
_NO_MEMORY = b"error: there is not enough memory\n  end other programs, or raise ulimit -v\n"


def main() -> None:
    """Run the command; Ctrl-C ends it with 130 from the first import on.

    What :func:`weigh.cli.main.main` says of an interrupted command needs that module; before it is there nothing has
    happened that could be determined.
    """
    gc.set_threshold(_COLLECTED)
    try:
        from weigh.cli.main import main as command

        command()
    except KeyboardInterrupt:
        sys.exit(130)
    except MemoryError:
        # Not even what would explain it found room.
        os.write(2, _NO_MEMORY)
        sys.exit(2)


if __name__ == "__main__":
    main()
