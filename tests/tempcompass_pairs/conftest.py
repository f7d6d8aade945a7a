"""What the tests of TempCompass share."""
