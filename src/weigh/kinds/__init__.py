"""The kinds of evidence: one table of what each can do and where its modules are, and what uses the table."""
