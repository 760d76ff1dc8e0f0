"""Versions that no index has: wheels, folders, revisions of a repository."""
