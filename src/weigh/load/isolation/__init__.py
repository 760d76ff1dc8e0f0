"""How transactions were isolated: what was promised, and what their recorded history shows."""
