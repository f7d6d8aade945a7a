"""Runs: started safely, read back, rescored, compared, and checked for signs of a degenerate run."""
