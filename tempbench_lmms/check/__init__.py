"""Whether a model gets, and sees, what a task gives: probes, what arrived of them, verdicts. No harness."""
