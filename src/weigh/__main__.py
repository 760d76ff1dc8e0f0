"""The entry point: the command ``weigh``, and ``python -m weigh``."""

import sys


def main() -> None:
    """Run the command; Ctrl-C ends it with 130 from the first import on.

    What :func:`weigh.cli.main.main` says of an interrupted command needs that module; before it is there nothing has
    happened that could be told.
    """
    try:
        from weigh.cli.main import main as command

        command()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
