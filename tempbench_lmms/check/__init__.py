"""Checks whether a model receives and sees a task's inputs: probes, what arrives, verdicts. No harness."""
