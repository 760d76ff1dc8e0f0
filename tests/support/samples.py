"""What the tests of `weigh judge` share: fixtures and made-up files, judged in this process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from weigh.judge.run import run
from weigh.model.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weigh.judge.results import JudgeResults
    from weigh.model.verdict import Verdict

FIXTURES = Path(__file__).parents[1] / "fixtures" / "judge"


def judged(*files: str | Path, **flags: Any) -> JudgeResults:
    """Files judged with the default rules; relative names are fixtures."""
    names = [one if "=" in str(one) else str(FIXTURES / one) for one in files]
    return run([str(name) for name in names], flags.pop("rules", Rules()), **flags)


def only(hearing: JudgeResults) -> Verdict:
    """The one verdict."""
    (verdict,) = hearing.verdicts
    return verdict


def refusal(hearing: JudgeResults) -> str:
    """Code of the reason of the one verdict, which is refused."""
    verdict = only(hearing)
    assert verdict.verdict == "refused"
    assert verdict.ratio is None
    return verdict.reasons[0].code


def hyperfine(path: Path, *commands: tuple[str, Sequence[float]], **more: object) -> Path:
    """A file as hyperfine writes it, with the fields that count."""
    results = [{"command": name, "times": list(times), **more} for name, times in commands]
    path.write_text(json.dumps({"results": results}))
    return path


def rows(path: Path, header: str, lines: Iterable[Iterable[object]]) -> Path:
    """A CSV file."""
    path.write_text("\n".join([header, *(",".join(str(cell) for cell in line) for line in lines)]) + "\n")
    return path


def starts(
    order: Sequence[str], means: dict[str, float], *, runs: int = 3, seed: int = 1
) -> list[tuple[str, int, float]]:
    """Rows of (contender, start, seconds) in the order given, with 1 % of noise between and within starts."""
    random = np.random.default_rng(seed)
    found = []
    for number, name in enumerate(order):
        level = means[name] * np.exp(random.normal(0, 0.01))
        found += [(name, number, float(level * np.exp(random.normal(0, 0.01)))) for _ in range(runs)]
    return found
