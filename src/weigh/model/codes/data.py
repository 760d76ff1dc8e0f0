"""D: codes of data."""

from __future__ import annotations

from weigh.model.codes import pages
from weigh.model.codes.code import Page, error, graded, note, warning

D1_WRITER = graded(
    "D1.writer",
    pages.BESIDES,
    "its files were made by another writer than those of the baseline: a comparison of writers; a warning where "
    "something else differs too",
)
D1_LAYOUT = graded(
    "D1.layout",
    pages.BESIDES,
    "its files are written in another way than those of the baseline; a warning where something else differs too",
)
D2_FILES = error(
    "D2.files",
    pages.CATALOGS,
    "the catalog that it reads through lists other files than those of its layout",
    disqualifies=True,
)
D2_BYTES = error(
    "D2.bytes",
    pages.CATALOGS,
    "what it reads through its catalog is not, byte for byte, what its layout has",
    disqualifies=True,
)
D2_UNREAD = warning("D2.unread", pages.CATALOGS, "what its catalog lists could not be read back after the measurement")
D2_FORMAT = graded(
    "D2.format",
    pages.BESIDES,
    "it reads through another table format than the baseline; a warning where something else differs too",
)
D2_SAME = note("D2.same", pages.CATALOGS, "its catalog lists the files of its layout, byte for byte, before and after")
D5_FILES = graded(
    "D5.files",
    pages.BESIDES,
    "it reads another number of files or row groups than the baseline; a warning where something else differs too",
)
D7_MEMORY = note("D7.memory", Page(pages.MACHINE, "Size against memory"), "the data fits into memory")
D4_PAGE = error(
    "D4.page",
    pages.PAGES,
    "a page of a file does not have the checksum that its writer put alongside it: it was changed since",
)
D4_HEADER = error("D4.header", pages.PAGES, "a page of a file is not where it must be, or is no page")
D4_WRONG = note(
    "D4.wrong", pages.FLIPPED, "over a copy of the data with one flipped bit it answers otherwise, and says nothing"
)
D4_RAISED = note("D4.raised", pages.FLIPPED, "over a copy of the data with one flipped bit it raises")
D4_RIGHT = note("D4.right", pages.FLIPPED, "over a copy of the data with one flipped bit it answers as before")
D4_UNTRIED = note("D4.untried", pages.FLIPPED, "no bit could be flipped in what the operations read")
D8_MISSING = error("D8.missing", pages.CHECK, "a file of the data is gone")
D8_SIZE = error("D8.size", pages.CHECK, "a file of the data has another size than when it was made")
D8_DAMAGED = error("D8.damaged", pages.CHECK, "a file of the data cannot be read")
D8_ROWS = error("D8.rows", pages.CHECK, "a file of the data holds other rows than when it was made")
D8_CHANGED = error(
    "D8.changed",
    pages.CHECK,
    "the files that it reads hold other rows than when they were made, which is no mistake of its own; nothing that "
    "it answers can be compared",
    disqualifies=True,
)
D8_BYTES = error("D8.bytes", pages.CHECK, "a file of the data was written anew: the same rows, other bytes")
D8_MANIFEST = error("D8.manifest", pages.CHECK, "the manifest of the data contradicts itself")
D9_COPY = warning(
    "D9.copy",
    pages.COSTS,
    "it answers without its files: it holds the rows in a layout of its own, made before any clock",
)
D9_LINKED = error(
    "D9.linked", pages.COSTS, "what it calls loaded is a file of the data under another name", disqualifies=True
)
D9_LOADED = note("D9.loaded", pages.COSTS, "its tables were loaded before, and no time contains what that cost")
