"""Decodes pictures and videos.

A file that is missing, damaged or too large is a `MediaError` of one line; docstrings name other errors.
"""
