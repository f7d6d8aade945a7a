"""The `tempbench` command: its options, help and output; other layers do the work."""
