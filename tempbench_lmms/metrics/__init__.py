"""Metrics: numbers in, numbers out. Nothing here knows a benchmark, the harness or a picture."""
