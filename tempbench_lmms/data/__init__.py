"""Where data lies: the `tempbench://` scheme, and reading and writing prepared data sets."""
