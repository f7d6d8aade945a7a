"""The documentation as a site: `docs/`, and what the code says of itself. `python -m mkdocs build`."""
