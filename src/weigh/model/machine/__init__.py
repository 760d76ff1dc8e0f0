"""What was seen of the machine."""
