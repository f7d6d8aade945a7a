"""Parsers: `str -> T | None`. None means that no answer can be read; it is never replaced by a guess."""
