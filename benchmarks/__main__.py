"""``make bench``: every figure in turn, nothing else running."""

from __future__ import annotations

import sys

from benchmarks import (
    against_itself,
    blocks,
    covariates,
    decide,
    differences,
    digest,
    generation,
    layouts,
    load,
    obfuscate,
    rate,
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
    "generation": generation.run,
    "load": load.run,
    "rate": rate.run,
    "servers": servers.run,
    "tpch": tpch.run,
    "sampler": sampler.run,
    "series": series.run,
    "statistics": statistics.run,
    "differences": differences.run,
    "layouts": layouts.run,
    "obfuscate": obfuscate.run,
    "against_itself": against_itself.run,
    "covariates": covariates.run,
    "decide": decide.run,
    "suite": suite.run,
}


def main() -> None:
    """Run the benchmarks named on the command line, or all."""
    names = sys.argv[1:] or list(ALL)
    for name in names:
        if name not in ALL:
            sys.exit(f"there is no benchmark '{name}'; known: {', '.join(ALL)}")
        for line in ALL[name]():
            print(line, flush=True)


if __name__ == "__main__":
    main()
