"""TimeBlind: what differs between two videos in time alone."""
