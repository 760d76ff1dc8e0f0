"""The ladder of loads in its forms."""
