"""Temporal coherence: TOMATO at growing frame budgets, and captions of videos against captions of a frame."""
