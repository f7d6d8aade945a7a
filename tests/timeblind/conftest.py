"""What the tests of TimeBlind share."""
