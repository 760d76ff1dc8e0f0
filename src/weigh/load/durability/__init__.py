"""Whether acknowledged writes are kept: what settings say, and what is found after a crash."""
