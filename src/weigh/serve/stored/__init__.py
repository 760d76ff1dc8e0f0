"""The document that evidence keeps of its own report, as far as a list needs it: one module for each kind.

It is what the report said when it was written. Nothing is computed anew for a list; the page of an evidence is.
"""
