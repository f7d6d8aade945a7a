"""The `tempbench://` scheme, and reading and writing prepared data sets.

Errors that a user can fix are `TempbenchError`s; docstrings name other errors.
"""
