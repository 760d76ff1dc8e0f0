"""The second implementation of the simple figures, in SQL. It calls nothing of the first."""
