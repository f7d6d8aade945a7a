"""What the bundled samples are rendered with; not part of the wheel."""
