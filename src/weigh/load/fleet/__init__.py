"""Agents of a load at work: placed on a cluster, told what to do, and heard of."""
