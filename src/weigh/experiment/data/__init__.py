"""The data of an experiment: made or found, verified, and shown to the contenders."""
