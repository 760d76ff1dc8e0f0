"""R: codes of reports and evidence."""

from __future__ import annotations

from weigh.model.codes import pages
from weigh.model.codes.code import Page, error, graded, note, plain, warning

R1 = plain("R1", pages.JUDGED, "a contender has no measurement of the operation")
R1_LEFT_OUT = warning("R1.left_out", pages.SUITES, "questions of a suite are not asked")
R3 = plain("R3", pages.VERIFY, "there are samples without the configuration that they were measured with")
R3_CONFIGURATION = plain("R3.configuration", pages.VERIFY, "samples without their configuration make no report")
R3_VERSION = warning("R3.version", pages.TIERS, "the running engine names another version than its package")
R3_BUILD = graded(
    "R3.build",
    pages.BUILDS,
    "two contenders are the same build, or what was installed is not what the experiment is of",
)
R3_UNREAD = plain("R3.unread", pages.TIERS, "a version or a setting was not read back from the running engine")
R4_HASH = plain("R4.hash", pages.VERIFY, "a file, or the seal of an earlier attempt, was changed")
R4_SEALED = plain("R4.sealed", pages.VERIFY, "a file is missing, or was added after the seal")
R4_CHAIN = plain("R4.chain", pages.VERIFY, "a line of the journal does not carry the hash of the line before it")
R4_FINDINGS = plain(
    "R4.findings", pages.VERIFY, "what must have been found, or seen by the sampler, is not in the journal"
)
R4_DERIVED = plain("R4.derived", pages.VERIFY, "a file is not what follows from the journal")
R4_FIGURES = plain(
    "R4.figures", pages.VERIFY, "a status, a verdict or a report does not follow from checks and samples"
)
R4_SQL = plain(
    "R4.sql", Page(pages.EVIDENCE, "A second implementation"), "a figure is not what the second implementation computes"
)
R4_UNSEALED = warning(
    "R4.unsealed", pages.WEAKENS, "a session was killed or is still running, so nothing of it was verified"
)
R4_HISTORY = error("R4.history", pages.ENTRIES, "an entry of a history is not what was added")
R6_SPLIT = note(
    "R6.split", pages.SPLIT, "the environment changed within a series, so points of both sides are not compared"
)
R6_UNKNOWN = warning("R6.unknown", pages.SPLIT, "nobody recorded on which machine points of a series were measured")
R6_SAME_VERSION = warning(
    "R6.same_version", pages.CANDIDATES, "a series changes its level while the version stays the same"
)
R6_TWO_SPEEDS = warning(
    "R6.two_speeds", pages.CANDIDATES, "a series goes to and fro between two speeds, so no change is told"
)
R6_WEEKDAYS = note(
    "R6.weekdays", pages.CANDIDATES, "a series depends on the day of the week, which is taken out of its changes"
)

R8_TERMS = note("R8.terms", Page(pages.LIES), "the licence of the engine restricts publishing its results")
R9_SIGNATURE = plain("R9.signature", pages.SIGNING, "nobody who is trusted signed the seal as it is")
R9_ANCHOR = plain(
    "R9.anchor",
    Page("guide/witness.md", "What verify proves"),
    "the journal is not the one that a witness has the hashes of, or it has none of it",
)
R10_SAME = graded(
    "R10.same", Page(pages.METHOD, "One engine under two names"), "two contenders of different version are one engine"
)
R10_NUMBER = note(
    "R10.number",
    Page(pages.METHOD, "One engine under two names"),
    "two contenders print the same version, and their files differ",
)
R11_FIGURES = warning(
    "R11.figures",
    Page("guide/audit.md", "What contradicts itself"),
    "figures of a published result contradict each other",
)
