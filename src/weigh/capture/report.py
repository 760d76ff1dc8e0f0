"""What a capture says on a terminal."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from weigh.capture.sources.form import FORMS
from weigh.model.units import percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weigh.capture.arrivals import Fit
    from weigh.capture.results import CaptureResults

_LISTED = 10


def lines(found: CaptureResults, out: str) -> Iterator[str]:
    """Line by line.

    Args:
        found: what was found.
        out: the folder.
    """
    took = "" if found.time_s is None else f", {_time(found.time_s)} in the server"
    length = "" if not found.length_s else f" in {_time(found.length_s)}"
    form = FORMS.get(found.form, found.form)  # type: ignore[call-overload]
    yield f"source    {form}: {_count(found.calls, 'call')}{length}{took}"
    if found.sessions:
        whole = f", {found.transactions:,} transactions of several statements" if found.transactions else ""
        yield f"sessions  {found.sessions:,}{whole}"
    covered = found.coverage[0]
    yield f"covered   {_shares(covered.calls, covered.time)} by {_count(covered.scripts, 'script')}"
    for part in found.coverage[1:]:
        yield f"          {_shares(part.calls, part.time)} {_most_called(part.scripts)}"
    if found.arrivals is not None:
        yield f"arrivals  {arrivals(found.arrivals)}"
    if found.thinking is not None:
        t = found.thinking
        yield f"pauses    of a session: median {_time(t.median_s)}, mean {_time(t.mean_s)}, {_law(t.law)}"
    yield ""
    for script in found.scripts[:_LISTED]:
        share = _shares(script.calls_share, script.time_share)
        yield f"  {script.name:<44} {share}"
    if len(found.scripts) > _LISTED:
        yield f"  and {len(found.scripts) - _LISTED} more, in capture.json"
    if found.left_out:
        yield ""
        yield "left out, or changed"
        for one in found.left_out:
            yield f"  {one.number:,} {one.text}"
    for note in found.notes:
        yield f"note      {note}"
    yield ""
    yield f"wrote {out}"
    yield from _next(found, out)


def _most_called(number: int) -> str:
    return "by the first script alone" if number == 1 else f"by the first {number} scripts"


def arrivals(fit: Fit) -> str:
    """The law with its statistics, in a line."""
    rate = f"{fit.rate:.4g} a second"
    if fit.law == "unknown":
        return f"{rate}: {fit.number} {'is' if fit.number == 1 else 'are'} too few to tell a law"
    sentence = {
        "constant": "evenly spaced",
        "poisson": "as of independent users (Poisson)",
        "bursts": f"in bursts of {_time(fit.burst_s or 0)} at {fit.peak or 0:.2g} times the mean",
    }[fit.law]
    statistics = (
        f"index of dispersion {fit.dispersion:.3g} in windows of {_time(fit.window_s or 0)}, Kolmogorov-Smirnov "
        f"{fit.ks:.3g} (p {fit.ks_p:.2g}), Anderson-Darling {fit.anderson:.3g} (p {fit.anderson_p:.2g}), coefficient "
        f"of variation {fit.cv:.2g}"
    )
    doubt = "" if fit.fits else "; the nearest law, and it does not fit: the trace has the moments themselves"
    return f"{rate}, {sentence}{doubt}\n          {statistics}"


def _next(found: CaptureResults, out: str) -> Iterator[str]:
    if not found.scripts:
        yield "next: no script could be made; what is left out says why"
        return
    if found.product == "redis":
        yield f"next: weigh load replay {quote(out)} --target redis://HOST (scripts are of SQL, and there are none)"
        return
    scheme = "mysql" if found.product == "mysql" else "postgres"
    rate = "" if found.length_s else " --rate N"
    yield f"next: weigh load {quote(out)} --target {scheme}://USER@HOST/DB{rate}"


def _shares(calls: float, time: float | None) -> str:
    of_time = "" if time is None else f", {percent(time):>7} of the time"
    return f"{percent(calls):>7} of the calls{of_time}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def _law(law: str) -> str:
    return {"exponential": "exponentially distributed", "constant": "constant"}.get(law, "of no simple law")


def _time(seconds: float) -> str:
    if seconds >= 120:
        return f"{seconds / 60:.4g} min"
    # From there on a number of milliseconds is rounded to four digits.
    if seconds >= 0.9995:
        return f"{seconds:.4g} s"
    return f"{seconds * 1e3:.3g} ms"
