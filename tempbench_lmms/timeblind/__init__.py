"""TimeBlind: questions about two videos that differ only in time."""
