"""What a user asks of ``weigh load``, read into a spec."""

from weigh.load.config.arrivals import arrivals
from weigh.load.config.flags import BUILT_IN, YCSB, files, make, requested

__all__ = ["BUILT_IN", "YCSB", "arrivals", "files", "make", "requested"]
