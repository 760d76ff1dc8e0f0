"""Publish: evidence as a static site, which needs no server and no script to be read."""
