"""What the clock covers, and whether its figures can be."""
