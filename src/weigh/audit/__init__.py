"""Audit: what a published result shows, what it does not, and where its own figures contradict each other."""
