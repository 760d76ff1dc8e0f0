"""What of one load falls to each agent, and which loads can be shared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weigh.load.generator import generator_settings
from weigh.load.generator.settings import Share
from weigh.load.generator_errors import call
from weigh.model.errors import UsageError
from weigh.model.units import count

if TYPE_CHECKING:
    from weigh.load.files import LoadFiles
    from weigh.load.generator.settings import GeneratorSettings
    from weigh.load.spec import LoadSpec, Loop
    from weigh.load.target.target import Reached


def shared(settings: GeneratorSettings, agents: int) -> GeneratorSettings:
    """The settings of a load of so many agents: each has as many threads as connections and requests allow."""
    least = min(settings.connections, settings.max_in_flight) // agents
    return msgspec.structs.replace(settings, threads=max(1, min(settings.threads, least)))


def check(spec: LoadSpec, files: LoadFiles, reached: Reached, agents: int) -> None:
    """See whether so many agents can offer a load together.

    Raises:
        UsageError: there are more of them than connections.
        EngineFault: the workload cannot be shared by so many.
    """
    from weigh._native import Load

    for connections in spec.connections:
        for flag, most, noun in (
            ("--connections", connections, "connection"),
            ("--max-in-flight", spec.max_in_flight or connections, "request"),
        ):
            if most < agents:
                in_flight = " in flight" if noun == "request" else ""
                raise UsageError(
                    f"{count(most, noun)}{in_flight} for {agents} agents: each needs one of its own",
                    remedy=f"raise {flag}, which counts those of all agents together, or take fewer agents",
                )
    loop: Loop = "open" if "open" in spec.loops else "closed"
    settings = shared(generator_settings(spec, files, reached, loop, spec.connections[0]), agents)
    first = msgspec.to_builtins(msgspec.structs.replace(settings, share=Share(part=0, parts=agents)))
    call(Load, msgspec.json.encode(first).decode())
