"""The highest rates of several servers, found in turn, and their ratio: one round asks each of them for one run."""
