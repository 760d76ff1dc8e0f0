"""What runs inside a contender's environment: it opens one engine and executes what it is told.

It imports nothing of weigh and nothing but the standard library, and it never digests, compares or judges
answers. The engine itself is reached through the one adapter module that the Engine names.
"""

from weigh_worker.adapter import Adapter, Failed, Session, Statistics, Unsupported

__all__ = ["Adapter", "Failed", "Session", "Statistics", "Unsupported"]
