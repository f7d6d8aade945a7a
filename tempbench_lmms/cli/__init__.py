"""The `tempbench` command: what it says and takes; the work is done below it."""
