"""The answers of a load: asked before the clock, looked at again after it."""
