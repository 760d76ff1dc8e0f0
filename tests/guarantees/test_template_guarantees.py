"""What is reported of all operations of a template (docs/guide/suites.md)."""

from __future__ import annotations

import numpy as np
import pytest

from weigh.statistics.effects import over_blocks

from . import templates
from .test_guarantees import HARDEST, LAWS


@pytest.mark.parametrize("kind", LAWS)
def test_the_99_percent_interval_of_a_template_covers_as_often(kind: str) -> None:
    found = templates.estimated(kind, 1_000 if kind == HARDEST else 4_000, 17)
    assert templates.missed(found).within(0.0, 0.015)


@pytest.mark.parametrize("kind", LAWS)
def test_no_template_whose_mean_is_unchanged_is_called_different(kind: str) -> None:
    found = templates.estimated(kind, 1_000, 18)
    assert templates.called_different(found).within(0.0, 0.001)


@pytest.mark.promise("scatters less than each of them, by up to the root of their number")
def test_it_scatters_less_than_its_operations() -> None:
    draw = np.random.default_rng(19)
    single = draw.normal(0, 0.1, (200, templates.MEMBERS, templates.STARTS))
    one, mean = over_blocks(single.reshape(-1, templates.STARTS)), over_blocks(single.mean(axis=1))
    assert one.error.mean() / mean.error.mean() == pytest.approx(np.sqrt(templates.MEMBERS), rel=0.1)
