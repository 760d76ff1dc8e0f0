"""``weigh compare``: two sessions joined through a shared reference contender."""
