"""Reproduction: the evidence of somebody else, measured again here, and each of its verdicts confirmed or not."""
