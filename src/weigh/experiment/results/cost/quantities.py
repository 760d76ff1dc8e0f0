"""The values of a metric, of every sample: a field, or what follows from several. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weigh.model.metrics.price import Price, Quantity
    from weigh.model.sample import Floats, Samples
    from weigh.model.spec import Spec


def quantities(metric: str, samples: Samples, spec: Spec) -> Floats:
    """A metric of each sample, NaN where it was not measured.

    Args:
        metric: name.
        samples: in any order.
        spec: of the experiment.
    """
    match metric:
        case "cost":
            return cost(samples, spec.prices)
        case "server_s":
            # Where no queue is reported, none can be taken apart.
            return samples.floats("reported_s") - np.nan_to_num(samples.floats("queue_s"))
    return samples.floats(metric)


def cost(samples: Samples, prices: Mapping[str, Price]) -> Floats:
    """What each execution costs by the price of its contender; NaN where it has none, or a quantity is not known.

    Args:
        samples: in any order.
        prices: by contender.
    """
    found = np.full(len(samples), np.nan)
    for contender, places in samples.groups("contender").items():
        if (price := prices.get(contender)) is not None:
            found[places] = sum(term.money * count(samples, term.quantity)[places] for term in price.terms)
    return found


def count(samples: Samples, quantity: Quantity) -> Floats:
    """How much of what is paid for each execution was."""
    match quantity:
        case "bytes":
            billed = samples.floats("billed_bytes")
            return np.where(np.isnan(billed), samples.floats("scanned_bytes"), billed)
        case "seconds":
            return samples.floats("wall_s")
        case "credits":
            return samples.floats("credits")
        case "queries":
            return np.ones(len(samples))
