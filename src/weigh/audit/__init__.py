"""Reading sealed evidence and recomputing it. Imports no engine and nothing that measures."""
