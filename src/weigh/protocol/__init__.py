"""Spec, plan, gate, blocks, seal. The only place where things happen in order."""
