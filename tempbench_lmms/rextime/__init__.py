"""ReXTime: questions about another part of the video than the event they name, and its time span."""
