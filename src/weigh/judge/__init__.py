"""``weigh judge``: the same verdicts for other tools' raw numbers, where their design can carry one."""
