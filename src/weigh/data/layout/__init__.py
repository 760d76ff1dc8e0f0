"""Physical forms of a dataset: files, how they are written, and what they say of themselves."""
