"""What agents of a load have seen: as journals say it, and merged."""
