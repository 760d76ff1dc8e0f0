"""``weigh load``: its flags, and what is asked with several servers, of sizes, and of a recording."""
