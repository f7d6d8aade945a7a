"""Reports of finished runs: tables, plots, one HTML file, and files for the Hub."""
