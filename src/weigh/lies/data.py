"""Lies about the data that is read."""

from __future__ import annotations

from weigh.lies.lie import rows
from weigh.model.codes.code import Page

_COLD = Page("concept/cold.md", "What is proven")
_DATA = Page("reference/commands.md", "weigh data")

ROWS = rows(
    (
        "D1",
        Page("concept/method.md", "What differs besides the contender"),
        "the same codec, and another writer: files of another size and form pass as the same data",
        "what differs between the files of two contenders is listed as their footers say; another writer is called a "
        "comparison of writers, and where something else differs too the result is suggestive",
    ),
    (
        "D2",
        Page("concept/table-formats.md", "The same bytes (D2)"),
        "table formats are compared on different bytes",
        "the files of one layout are registered in each format where they lie, read back and hashed before and after; "
        "other bytes, or another list of files, are not compared",
    ),
    (
        "D3",
        _DATA,
        "a byte hash says 'changed' though only the order moved, or the check protects nothing",
        "typed row digest: same rows same digest, one changed cell another",
    ),
    (
        "D4",
        Page("reference/commands.md", "weigh data check"),
        "a page of a file is corrupt, and every engine sums it without a word",
        "page checksums are compared before weigh reads a file for the first time, and `weigh data check` names the "
        "page; files without them are said to have none",
    ),
    (
        "D5",
        Page("concept/method.md", "What differs besides the contender"),
        "one contender reads one large file, the other one twenty",
        "files and row groups are a declared layout of the contender; what differs is named, and with anything else "
        "that differs the result is suggestive",
    ),
    (
        "D6",
        _COLD,
        "data that was written just now is still in memory, and is measured as if it came from storage",
        "evicted from the page cache before every cold execution, and proven to be; what answers without asking the "
        "device is not called cold",
    ),
    (
        "D7",
        Page("concept/machine.md", "Size against memory"),
        "data so small that it is in memory, sold as a benchmark of storage",
        "data size, memory and their ratio in every report; below 1 it is labelled in-memory",
    ),
    (
        "D8",
        _DATA,
        "data edited or damaged since it was generated",
        "sizes and hashes of all files are verified before and after every run, every row by `weigh data check`",
    ),
    (
        "D9",
        Page("concept/method.md", "What a start costs (D9)"),
        "tables are copied or made anew when they are opened, and what that costs is left out",
        "time, CPU, memory and disk of every start and of loading stand in the report; a contender that answers "
        "without its files is named",
    ),
)
