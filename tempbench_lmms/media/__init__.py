"""Pictures and videos: the only part of the package that decodes them."""
