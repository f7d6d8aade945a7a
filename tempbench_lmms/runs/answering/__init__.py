"""A person answers what a model is asked: questions, a local page, and a log like a run's."""
