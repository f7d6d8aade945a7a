"""Motion only: a control that only time can solve."""
