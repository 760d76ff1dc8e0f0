"""The effect of a knob: what it does to the scatter and the times of fixed work. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from weigh.statistics import cv
from weigh.statistics.cv import Estimate

if TYPE_CHECKING:
    from collections.abc import Mapping


class KernelEffect(msgspec.Struct, frozen=True, kw_only=True):
    """What a knob does to one kind of work.

    Attributes:
        kernel: ``sustained``, ``short`` or ``memory`` (docs/guide/doctor.md).
        executions: of each state.
        restless, calm: coefficient of variation in each state.
        cv_ratio: restless over calm.
        restless_s, calm_s: median seconds.
        time_ratio: restless over calm, of the medians.
    """

    kernel: str
    executions: int
    restless: Estimate
    calm: Estimate
    cv_ratio: Estimate
    restless_s: float
    calm_s: float
    time_ratio: Estimate


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """What a knob does on one machine.

    Attributes:
        knob: its name.
        places: restless and calm value of every place.
        blocks: how many, each with both states in random order.
        kernels: by kind of work.
    """

    knob: str
    places: dict[str, tuple[str, str]]
    blocks: int
    kernels: tuple[KernelEffect, ...]


def judged(kernel: str, times: Mapping[str, list[list[float]]]) -> KernelEffect:
    """Of one kind of work.

    Args:
        kernel: which.
        times: seconds of every execution by block, of the states ``restless`` and ``calm``.
    """
    restless, calm = np.array(times["restless"]), np.array(times["calm"])
    return KernelEffect(
        kernel=kernel,
        executions=int(calm.size),
        restless=cv.cv(restless),
        calm=cv.cv(calm),
        cv_ratio=cv.cv_ratio(restless, calm),
        restless_s=float(np.median(restless)),
        calm_s=float(np.median(calm)),
        time_ratio=cv.time_ratio(restless, calm),
    )
