"""Why an operation became slower or faster: a profile of both sides, made in lives of its own, never in timed ones."""
