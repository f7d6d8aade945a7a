"""Lets a person answer a model's questions: the questions, a local page, and a log like a run's."""
