"""The report of an experiment: terminal, JSON, page. Imports no engine and nothing that measures."""
