"""Commands over evidence there is."""
