"""The documentation as a site: `python -m mkdocs build`. Its pages are `docs/`, and what the code says itself."""
