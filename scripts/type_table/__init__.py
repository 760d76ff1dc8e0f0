"""The table of types: what weigh says of every type and engine, read off runs of the command line."""
