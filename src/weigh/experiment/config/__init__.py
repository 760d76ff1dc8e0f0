"""What is asked: weigh.toml and flags, read into a Spec; ``weigh init``."""
