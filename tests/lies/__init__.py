"""The catalogue of lies: for each a liar that commits it for real, and an honest twin that weigh leaves alone."""
