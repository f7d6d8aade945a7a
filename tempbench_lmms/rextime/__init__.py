"""ReXTime: questions whose answer lies elsewhere in the video, with the time span of the answer."""
