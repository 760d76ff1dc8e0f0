"""``weigh load``: requests offered to a server on a schedule, and what its users felt."""
