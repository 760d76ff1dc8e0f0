"""What a history says: terminal, JSON, page."""
