"""Finds the answers that replies name, with one finder per kind. Finders ignore words of stance."""
