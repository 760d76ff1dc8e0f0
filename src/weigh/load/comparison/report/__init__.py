"""The report of a comparison of servers under one load: terminal, Markdown, JSON, page."""
