"""What looks at a server, in a process of its own. Imports nothing of weigh."""
