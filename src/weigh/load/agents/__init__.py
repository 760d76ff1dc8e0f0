"""Load from several agents: one schedule, a generator on each of several workers, and a judgement of each."""
