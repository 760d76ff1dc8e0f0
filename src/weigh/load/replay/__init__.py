"""Replay: statements of a trace at their recorded times, in the order and the transactions of their sessions."""
