"""The command line: parse, call, render, exit code. No logic, and nothing heavy is imported before it is needed."""
