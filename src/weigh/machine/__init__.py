"""Who else used the machine, what was saturated, and whether it drifted. Pure."""
