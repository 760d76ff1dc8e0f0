"""``--require``: whether what must hold at a rate holds."""
