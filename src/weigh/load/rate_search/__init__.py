"""The highest rate that keeps a budget: probes, each a run at a rate of its own, and what follows from them."""
