"""What is in the kernel's memory is counted, and put out of there, on this machine."""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING

import pytest

from weigh.experiment.measure import cold
from weigh.host import page_cache, processes, storage
from weigh.host.storage import device_reads
from weigh.model.errors import EnvironmentFault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

PAGES = 64


@pytest.fixture
def file(tmp_path: Path, dropping: Callable[[], AbstractContextManager[None]]) -> Iterator[Path]:
    """A file that was written just now, and that no other test puts out of memory."""
    if storage.place(tmp_path).kind == "memory":
        pytest.skip("the temporary folder is memory: nothing can be put out of it")
    path = tmp_path / "data"
    with dropping():
        path.write_bytes(os.urandom(PAGES * page_cache.PAGE_BYTES))
        yield path


def test_a_file_that_was_written_is_in_memory_until_it_is_put_out(file: Path) -> None:
    found = page_cache.count([str(file)])
    assert found is not None
    assert (found.resident, found.pages) == (PAGES, PAGES)
    left = page_cache.evict([str(file)])
    assert left is not None
    assert (left.resident, left.pages) == (0, PAGES)
    page_cache.read_in([str(file)])
    found = page_cache.count([str(file)])
    assert found is not None
    assert found.resident == PAGES


def test_what_is_mapped_and_touched_stays_and_is_counted(file: Path) -> None:
    with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert sum(mapped[offset] for offset in range(0, len(mapped), mmap.PAGESIZE)) >= 0
        left = page_cache.evict([str(file)])
        assert left is not None
        assert left.resident == PAGES
        assert str(file.resolve()) in processes.mapped(os.getpid())


def test_what_cannot_be_looked_at_is_not_nothing(file: Path) -> None:
    assert page_cache.count([]) is None
    assert page_cache.count([str(file), f"{file}.gone"]) is None
    assert page_cache.evict([f"{file}.gone"]) is None
    assert page_cache.size([str(file), f"{file}.gone"]) == PAGES * page_cache.PAGE_BYTES


def test_what_a_child_reads_is_counted_with_its_parent(file: Path) -> None:
    page_cache.evict([str(file)])
    code = f"import subprocess; subprocess.run(['cat', {str(file)!r}], stdout=subprocess.DEVNULL); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE) as process:
        until = time.monotonic() + 30
        while (processes.bytes_read(process.pid) or 0) < PAGES * page_cache.PAGE_BYTES:
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.01)
        read = processes.bytes_read(process.pid)
        started = processes.family(process.pid)
        assert not processes.gone(started, 0.0)
        process.communicate(b"\n")
    assert read is not None
    assert read >= PAGES * page_cache.PAGE_BYTES
    assert processes.gone(started, 5.0)


def test_the_drive_is_read_past_the_page_cache(file: Path) -> None:
    rates, part = device_reads.rates([str(file)])
    if not rates:
        pytest.skip("this file system cannot be read past the page cache")
    assert part == PAGES * page_cache.PAGE_BYTES
    assert len(rates) == 2
    assert device_reads.rates([f"{file}.gone"]) == ((), 0)


def test_memory_is_refused(in_shared_memory: str) -> None:
    with pytest.raises(EnvironmentFault, match="it can never be cold") as caught:
        cold.refuse_memory([in_shared_memory])
    assert caught.value.remedy


@pytest.fixture
def in_shared_memory() -> Iterator[str]:
    """A file on a file system that is memory."""
    with tempfile.NamedTemporaryFile(prefix="weigh-test-", dir="/dev/shm") as opened:
        yield opened.name
