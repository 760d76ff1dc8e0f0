"""What happens on a schedule while a load goes on: faults of the server, statements, queries, and what users felt."""
