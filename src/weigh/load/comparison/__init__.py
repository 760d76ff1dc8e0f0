"""Several servers under one load, side by side: contenders, blocks of fresh lives, verdicts."""
