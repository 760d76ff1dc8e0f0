"""Loads of somebody else, offered again on the same schedule."""
