"""``make bench``: figure after figure, nothing else running; what takes hours only where it is named."""

from __future__ import annotations

import sys
import time

from benchmarks import (
    against_itself,
    agents,
    blocks,
    cluster,
    covariates,
    decide,
    differences,
    digest,
    evidence,
    generation,
    isolation,
    layouts,
    load,
    obfuscate,
    overall,
    publish,
    rate,
    remote_aa,
    sampler,
    series,
    servers,
    startup,
    statistics,
    suite,
    tpch,
    worker,
)

ALL = {
    "startup": startup.run,
    "worker": worker.run,
    "blocks": blocks.run,
    "digest": digest.run,
    "evidence": evidence.run,
    "generation": generation.run,
    "load": load.run,
    "rate": rate.run,
    "agents": agents.run,
    "isolation": isolation.run,
    "tpch": tpch.run,
    "cluster": cluster.run,
    "sampler": sampler.run,
    "series": series.run,
    "statistics": statistics.run,
    "differences": differences.run,
    "obfuscate": obfuscate.run,
    "covariates": covariates.run,
    "publish": publish.run,
    "servers": servers.run,
    "layouts": layouts.run,
    "against_itself": against_itself.run,
    "remote_aa": remote_aa.run,
    "decide": decide.run,
    "overall": overall.run,
    "suite": suite.run,
}
HOURS = ("cluster", "servers", "layouts", "against_itself", "remote_aa", "decide", "overall", "suite")
"""Each takes an hour or more at its usual size."""


def main() -> None:
    """Run the benchmarks that the command line names: some, ``all``, or those that do not take hours."""
    names = sys.argv[1:] or [name for name in ALL if name not in HOURS]
    if names == ["all"]:
        names = list(ALL)
    for name in names:
        if name not in ALL:
            sys.exit(f"there is no benchmark '{name}'; known: {', '.join(ALL)}, all")
    for name in names:
        started = time.monotonic()
        for line in ALL[name]():
            print(line, flush=True)
        print(f"{name}: took {time.monotonic() - started:.0f} s", flush=True)
    if not sys.argv[1:]:
        print(f"left out, because each takes hours: {', '.join(HOURS)} (make bench ONLY=decide, ONLY=all)")


if __name__ == "__main__":
    main()
