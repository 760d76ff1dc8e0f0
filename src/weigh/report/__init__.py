"""Evidence and verdicts made readable. Imports no engine and nothing that measures."""
