"""A recording as it is offered: what of a trace is sent, when, on which connection; and what came of it."""
