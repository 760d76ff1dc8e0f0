"""What was observed of the machine."""
