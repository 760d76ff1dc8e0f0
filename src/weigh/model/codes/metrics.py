"""M: codes of how another metric moved with the time."""

from __future__ import annotations

from weigh.model.codes import pages
from weigh.model.codes.code import plain

M_SETTLED = plain("M.settled", pages.METRICS, "the time leaves it open, CPU seconds settle how much work it is")
M_BOUGHT = plain("M.bought", pages.METRICS, "less time, bought with cores, memory or reading")
M_AGAINST = plain("M.against", pages.METRICS, "more time, and yet less of another metric")
M_WITH = plain("M.with", pages.METRICS, "another metric moved with the time")
M_ALONE = plain("M.alone", pages.METRICS, "the time moved alone, at the same CPU seconds")
M_BESIDE = plain("M.beside", pages.METRICS, "another metric moved although the time did not, or is open")
M_ZERO = plain("M.zero", pages.METRICS, "a metric is zero in every execution, so it has no verdict")
M_SOME = plain("M.some", pages.METRICS, "a metric is zero in some executions, and has no ratio there")
M_MISSING = plain("M.missing", pages.METRICS, "a metric was not measured, so it has no verdict")
