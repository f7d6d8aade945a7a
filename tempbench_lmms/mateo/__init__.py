"""MATEO: temporal execution order of the steps of a plan, asked in both orders."""
