"""Noise: logarithms of the times of experiments in which no arm is made slower, by laws of statistics.md §8.

All functions return single executions, shape (experiments, blocks, rounds, arms, runs), arm 0 the candidate and the
last two the baseline. An execution scatters by ``SD`` (of the logarithm). In every round the arms take their turns in
random order; noise that lives in time is drawn in that order. Time is counted in executions: a turn is one untimed and
``runs`` timed ones, the other operations have theirs between two rounds, and the processes start between two blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from . import machine

if TYPE_CHECKING:
    from collections.abc import Callable

    from weigh.statistics.arrays import Floats


SD = 0.03
ROUNDS = 4
BETWEEN_ROUNDS, BETWEEN_BLOCKS = 40.0, 200.0
"""Executions of others."""


@dataclass(frozen=True, slots=True)
class Size:
    """Experiments, blocks of each, arms, rounds of a block, and timed executions of a turn."""

    experiments: int
    blocks: int = 10
    arms: int = 3
    rounds: int = ROUNDS
    runs: int = 1

    @property
    def shape(self) -> tuple[int, int, int, int, int]:
        """That of the executions."""
        return self.experiments, self.blocks, self.rounds, self.arms, self.runs

    @property
    def starts(self) -> tuple[int, int, int, int, int]:
        """That of one number for every start."""
        return self.experiments, self.blocks, 1, self.arms, 1


def iid(size: Size, draw: np.random.Generator, sd: float = SD) -> Floats:
    """Independent executions."""
    return draw.normal(0, sd, size.shape)


def drift(size: Size, draw: np.random.Generator, sd: float = SD, total: float = 0.10) -> Floats:
    """The machine becomes 10 % slower from the first turn to the last."""
    at = _clock(size)
    return iid(size, draw, sd) + _in_turns(
        np.broadcast_to(total * at / at[-1], (size.experiments, len(at))), size, draw
    )


def sawtooth(size: Size, draw: np.random.Generator, height: float = 0.10) -> Floats:
    """The machine becomes 10 % slower in seven minutes, then is fast again at once; a block takes half a minute."""
    seconds = _clock(size) * 30 * size.blocks / _clock(size)[-1]
    path = height * ((seconds / 420 + draw.random((size.experiments, 1))) % 1)
    return iid(size, draw) + _in_turns(path, size, draw)


def shared_ar(
    size: Size, draw: np.random.Generator, sd: float = SD / 3, shared: float = 0.05, memory: float = 0.9
) -> Floats:
    """The machine's speed is a first-order autoregression, coefficient .9 from execution to execution."""
    return iid(size, draw, sd) + _in_turns(
        _autoregression(size, draw, shared, memory ** np.diff(_clock(size))), size, draw
    )


def turn_ar(
    size: Size, draw: np.random.Generator, memory: float = 0.5, offset: float = 0.05, *, alone: bool = False
) -> Floats:
    """Every turn has an offset of SD 5 %, an autoregression of .5 from turn to turn that no gap interrupts."""
    count = size.blocks * size.rounds * size.arms
    own = 0.0 if alone else iid(size, draw)
    return own + _in_turns(_autoregression(size, draw, offset, np.full(count - 1, memory)), size, draw)


def sticky_bimodal(size: Size, draw: np.random.Generator, sd: float = SD, gap: float = 0.10) -> Floats:
    """Two speeds 10 % apart; the machine changes between them with probability .1 at each turn."""
    count = size.blocks * size.rounds * size.arms
    changes = draw.random((size.experiments, count)) < 0.1
    changes[:, 0] = draw.random(size.experiments) < 0.5
    slow = (np.cumsum(changes, axis=1) % 2).astype(np.float64)
    return iid(size, draw, sd) + _in_turns(gap * slow, size, draw)


def shared_machine(size: Size, draw: np.random.Generator) -> Floats:
    """Two shared virtual cores, as measured; 24 operations of 20 ms."""
    return machine.in_rounds(size.shape, draw)


def spikes(size: Size, draw: np.random.Generator, sd: float = SD) -> Floats:
    """5 % of the executions take e^X times as long, X exponential with mean 0.5."""
    return iid(size, draw, sd) + _some(size.shape, draw, 0.05, draw.exponential(0.5, size.shape))


def lognormal_spikes(size: Size, draw: np.random.Generator) -> Floats:
    """5 % of the executions take 1 + X times as long, X lognormal with median .5."""
    return iid(size, draw) + _some(size.shape, draw, 0.05, np.log1p(draw.lognormal(np.log(0.5), 1, size.shape)))


def pareto_spikes(size: Size, draw: np.random.Generator) -> Floats:
    """5 % of the executions take 1 + X times as long, X of Pareto's second law with index 2.5."""
    return iid(size, draw) + _some(size.shape, draw, 0.05, np.log1p(draw.pareto(2.5, size.shape)))


def slow_turns(size: Size, draw: np.random.Generator, share: float = 0.2) -> Floats:
    """One turn in five takes 20 % longer, whoever has it."""
    hit = draw.random(size.shape[:-1]) < share
    return iid(size, draw) + np.where(hit, np.log(1.2), 0.0)[..., None]


def stolen_quanta(size: Size, draw: np.random.Generator) -> Floats:
    """The hypervisor takes quanta of 4 ms: of executions of 20 ms, in three of ten, half of one each in the mean."""
    quanta = draw.poisson(0.5, size.shape) * (draw.random(size.shape) < 0.3)
    return np.log(np.exp(draw.normal(0, SD / 3, size.shape)) + 0.2 * quanta)


def exponential_times(size: Size, draw: np.random.Generator) -> Floats:
    """A tenth of an execution is exponential."""
    return np.log(1 + 0.1 * draw.exponential(1, size.shape))


def skewed_starts(size: Size, draw: np.random.Generator) -> Floats:
    """Every start has an offset of its own, exponential with mean 3 %."""
    return iid(size, draw) + draw.exponential(SD, size.starts)


def skewed_candidate(size: Size, draw: np.random.Generator) -> Floats:
    """The candidate's starts alone have an offset, exponential with a standard deviation of 3 % about its mean."""
    logs = iid(size, draw)
    logs[:, :, :, 0] += draw.exponential(SD, (size.experiments, size.blocks, 1, 1)) - SD
    return logs


def heavy_tails(size: Size, draw: np.random.Generator) -> Floats:
    """Times scatter as Student's t of 3 degrees of freedom, SD 3 %."""
    return np.log(np.maximum(1 + SD / np.sqrt(3) * draw.standard_t(3, size.shape), 0.2))


def start_effects(size: Size, draw: np.random.Generator, sd: float = SD, start: float = SD) -> Floats:
    """Every start has an offset of its own, of standard deviation 3 %."""
    return iid(size, draw, sd) + draw.normal(0, start, size.starts)


def alike_starts(size: Size, draw: np.random.Generator) -> Floats:
    """Offsets of the starts of a block have a correlation of .8."""
    shared = draw.normal(0, SD * np.sqrt(0.8), (size.experiments, size.blocks, 1, 1, 1))
    return start_effects(size, draw, start=SD * float(np.sqrt(0.2))) + shared


def opposed_starts(size: Size, draw: np.random.Generator) -> Floats:
    """The candidate's offset is the opposite of that of the baseline's starts."""
    shared = draw.normal(0, SD, (size.experiments, size.blocks, 1, 1, 1))
    logs = iid(size, draw)
    logs[:, :, :, :1] += shared
    logs[:, :, :, 1:] -= shared
    return logs


def noisy_candidate(size: Size, draw: np.random.Generator) -> Floats:
    """The candidate scatters five times as much as the others."""
    return _scaled(size, draw, 5)


def variable_candidate(size: Size, draw: np.random.Generator) -> Floats:
    """The candidate has ten times the variance of the others."""
    return _scaled(size, draw, float(np.sqrt(10)))


def quiet_candidate(size: Size, draw: np.random.Generator) -> Floats:
    """The candidate scatters a fifth as much as the others."""
    return _scaled(size, draw, 0.2)


def loud_blocks(size: Size, draw: np.random.Generator) -> Floats:
    """In one block of four everything has ten times the variance."""
    loud = draw.random((size.experiments, size.blocks, 1, 1, 1)) < 0.25
    return iid(size, draw) * np.where(loud, np.sqrt(10), 1.0)


def candidate_spikes(size: Size, draw: np.random.Generator, share: float = 0.05, scale: float = 0.5) -> Floats:
    """The candidate alone spikes, in 5 % of its executions, as in :func:`spikes`."""
    logs = iid(size, draw)
    own = logs[:, :, :, 0].shape
    logs[:, :, :, 0] += _some(own, draw, share, draw.exponential(scale, own))
    return logs


def candidate_stalls(size: Size, draw: np.random.Generator, share: float = 0.01, times: float = 11.0) -> Floats:
    """The candidate alone stalls: 1 % of its executions take eleven times as long."""
    logs = iid(size, draw)
    own = logs[:, :, :, 0].shape
    logs[:, :, :, 0] += _some(own, draw, share, np.full(own, np.log(times)))
    return logs


def slow_starts(
    size: Size,
    draw: np.random.Generator,
    share: float = 0.05,
    times: float = 1.30,
    law: Callable[[Size, np.random.Generator], Floats] = iid,
) -> Floats:
    """One in twenty of the candidate's starts is slower by 30 %."""
    logs = law(size, draw)
    hit = draw.random((size.experiments, size.blocks, 1, 1)) < share
    logs[:, :, :, 0] += np.where(hit, np.log(times), 0.0)
    return logs


SIX: dict[str, Callable[[Size, np.random.Generator], Floats]] = {
    "iid": iid,
    "drift": drift,
    "shared AR .9": shared_ar,
    "sticky bimodal": sticky_bimodal,
    "5 % spikes": spikes,
    "start effects": start_effects,
}
"""The six laws of the guarantee."""
UNEQUAL: dict[str, Callable[[Size, np.random.Generator], Floats]] = {
    "candidate scatters x5": noisy_candidate,
    "candidate scatters x1/5": quiet_candidate,
}
"""Contenders of unequal noise, as real engines are."""
ADDED: dict[str, Callable[[Size, np.random.Generator], Floats]] = {
    "sawtooth of 7 minutes": sawtooth,
    "AR over turns": turn_ar,
    "starts of a block alike": alike_starts,
    "starts of a block opposed": opposed_starts,
    "t(3)": heavy_tails,
    "lognormal spikes": lognormal_spikes,
    "Pareto(2.5) spikes": pareto_spikes,
    "candidate's variance x10": variable_candidate,
    "variance x10 in some blocks": loud_blocks,
    "shared machine": shared_machine,
}
"""Laws that were not looked at when the analysis was made."""
ALL = SIX | UNEQUAL | ADDED
SKEWED: dict[str, Callable[[Size, np.random.Generator], Floats]] = {
    "5 % of turns 20 % longer": partial(slow_turns, share=0.05),
    "10 % of turns 20 % longer": partial(slow_turns, share=0.1),
    "20 % of turns 20 % longer": slow_turns,
    "quanta of 4 ms taken": stolen_quanta,
    "exponential times": exponential_times,
    "exponential starts": skewed_starts,
}
"""Noise of one sign, alike for all arms: it must not look like an effect of either sign."""


def executions(make: Callable[[Size, np.random.Generator], Floats], size: Size, draw: np.random.Generator) -> Floats:
    """Executions of a law by start, for those who know no rounds: shape (experiments, blocks, arms, executions)."""
    logs = np.moveaxis(make(size, draw), 3, 2)
    return logs.reshape(*logs.shape[:3], -1)


def _scaled(size: Size, draw: np.random.Generator, factor: float) -> Floats:
    logs = iid(size, draw)
    logs[:, :, :, 0] *= factor
    return logs


def _some(shape: tuple[int, ...], draw: np.random.Generator, share: float, values: Floats) -> Floats:
    """The values in a share of the places, 0 elsewhere."""
    return np.where(draw.random(shape) < share, values, 0.0)


def _clock(size: Size) -> Floats:
    """When each turn of an experiment begins, in executions, shape (blocks x rounds x arms,)."""
    gap = np.full((size.blocks, size.rounds, size.arms), 1.0 + size.runs)
    gap[:, :, 0] += BETWEEN_ROUNDS
    gap[:, 0, 0] += BETWEEN_BLOCKS
    return np.cumsum(gap.ravel())


def _autoregression(size: Size, draw: np.random.Generator, sd: float, memory: Floats) -> Floats:
    """Shape (experiments, turns); ``memory`` is the correlation of each turn with the one before."""
    path = np.empty((size.experiments, len(memory) + 1))
    path[:, 0] = draw.normal(0, sd, size.experiments)
    for step, kept in enumerate(memory, start=1):
        path[:, step] = kept * path[:, step - 1] + draw.normal(0, sd * np.sqrt(1 - kept**2), size.experiments)
    return path


def _in_turns(path: Floats, size: Size, draw: np.random.Generator) -> Floats:
    """Values in the order of time, given to the arms in random order within each round."""
    by_turn = path.reshape(size.shape[:4])
    order = np.argsort(draw.random(by_turn.shape), axis=3)
    return np.asarray(np.take_along_axis(by_turn, order, axis=3)[..., None], dtype=np.float64)
