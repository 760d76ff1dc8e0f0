"""Hostile input at every door of weigh (`make fuzz`): frame.py says what must hold, each test file is a door."""
