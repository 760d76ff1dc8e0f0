"""What weigh has to offer: ``weigh engines``, ``workloads`` and ``lies``."""
