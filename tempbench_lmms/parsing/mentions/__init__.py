"""Finders of what replies name, one for each kind of answer. A finder never looks at words of stance."""
