"""Runs: started safely, read back, rescored, compared, and called out where they mean little."""
