"""What answers cost, and what the systems themselves report of them."""
