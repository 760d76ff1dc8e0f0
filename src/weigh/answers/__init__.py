"""Are the answers right? Values compared, ties at a limit, votes of lineages. Pure."""
