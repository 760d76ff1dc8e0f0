"""Contenders side by side: ``weigh run``, ``gate``, ``demo``, ``layout`` and ``init``."""
