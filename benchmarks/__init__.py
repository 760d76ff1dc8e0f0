"""Figures of weigh itself, printed as ratios within one run. Never asserted in tests: machines differ."""
