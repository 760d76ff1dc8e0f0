"""Lies of one who has read how weigh finds the others."""
