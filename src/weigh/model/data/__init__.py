"""Where the data lies and how it is reached."""
