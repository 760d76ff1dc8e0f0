"""Work beyond this machine: parts of it placed on the workers of a cluster, and gathered again."""
