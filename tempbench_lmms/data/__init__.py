"""Where data lies: the `tempbench://` scheme, and reading and writing prepared data sets.

What is wrong with something that a user can put right is a `TempbenchError`; docstrings name other errors.
"""
