"""The second implementation of the figures of a load, in SQL. It calls nothing of the first."""
