"""Values and names replaced by others, by a key: the same in data and in statements."""
