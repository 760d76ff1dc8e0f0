"""Servers that tests start themselves, on loopback, with data in folders of their own: one module a system.

Each has ``running(folder)``, a context in which the server answers; its value is the contender of it.
"""
