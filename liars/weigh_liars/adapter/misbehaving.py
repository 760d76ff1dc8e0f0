"""Not lies, but things that happen to engines: weigh must outlive them."""

from __future__ import annotations

import os
import resource
import signal
import time
from pathlib import Path

from weigh_worker import Unsupported

from .honest import Engine


class Slow(Engine):
    """Takes 20 ms longer."""

    def run(self) -> int:
        time.sleep(0.02)
        return super().run()


class Fails(Engine):
    """Cannot do a LIMIT."""

    def run(self) -> int:
        if "LIMIT" in self.sql:
            raise RuntimeError("no LIMIT today")
        return super().run()


class Silent(Engine):
    """Hands out its tables, and answers no question."""

    def run(self) -> int:
        if not self.sql.startswith("SELECT * FROM"):
            raise RuntimeError("no answer today")
        return super().run()


class Refuses(Engine):
    """The same, by saying that it cannot."""

    def prepare(self, sql: str) -> None:
        if not sql.startswith("SELECT * FROM"):
            raise Unsupported("no questions today")
        super().prepare(sql)


class Hang(Engine):
    """Never answers."""

    def run(self) -> int:
        time.sleep(3600)
        return 0


class Crash(Engine):
    """Dies of a segmentation fault."""

    def run(self) -> int:
        os.kill(os.getpid(), signal.SIGSEGV)
        return 0


class Killed(Engine):
    """Is killed, as the kernel does where memory is short."""

    def run(self) -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        return 0


class Exits(Engine):
    """Ends without a word, as if all were well."""

    def run(self) -> int:
        os._exit(0)


class Exhausts(Engine):
    """Takes memory until there is no more: 64 MiB, or less where a control group allows less."""

    def run(self) -> int:
        pages, taken = int(Path("/proc/self/statm").read_text().split()[0]), []
        most = pages * resource.getpagesize() + (64 << 20)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        while True:
            taken.append(b"x" * (4 << 20))


class Chatty(Engine):
    """Prints what looks like a message of weigh's protocol."""

    def run(self) -> int:
        print('{"do": "close"}' * 1000, flush=True)
        return super().run()


class Huge(Engine):
    """Returns ten million rows to everything."""

    def run(self) -> int:
        return self.consume("SELECT i AS n FROM range(10000000) t(i)")


class Garbage(Engine):
    """Fails with a message that is hard to print."""

    def run(self) -> int:
        raise RuntimeError("something\nwith 'quotes', {braces} and \x1b[31mcolour")


class HangInBind(Engine):
    """Never sees its tables; says in the file ``diary`` each time that it was asked to."""

    def bind(self, tables: dict[str, list[str]]) -> None:
        with Path(self.wanted["diary"]).open("a") as diary:
            diary.write(f"{os.getpid()}\n")
        time.sleep(3600)
