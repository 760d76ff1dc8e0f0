"""A suite as an experiment takes it: tables made, result schemas read off answers, what was left out said."""
