"""The parts of docs/reference that follow from the code: one module a page, each with a function ``blocks``."""
