"""The gate: answers are checked before any clock starts."""
