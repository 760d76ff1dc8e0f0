"""Forms of published results, one file each: ``recognises`` by content, and ``read``."""
