"""Waits for the end of a life's pipe, and interrupts what its session executes where that ends without a byte.

Executed as a file; its argument is the session's URL. A server goes on with a query whose client is gone for minutes.
"""

import os
import signal
import sys


def main() -> None:
    """Wait, and interrupt."""
    if sys.stdin.buffer.read(1):
        return
    signal.alarm(60)
    from pyspark.sql.connect.client import DefaultChannelBuilder
    from pyspark.sql.connect.session import SparkSession

    # Its client is closed as soon as nobody holds the session.
    session = SparkSession(connection=DefaultChannelBuilder(sys.argv[1]))
    session.client.interrupt_all()
    # The client's channel never closes while the interpreter ends.
    os._exit(0)


if __name__ == "__main__":
    main()
