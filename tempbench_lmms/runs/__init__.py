"""Runs, from the command to the comparison.

- before: `starting` (what a run is, and its checks), `planning`, `model_check`
- during: `safe_run`, `supervision` (of a hanging run, and how it ends), `deciding` (when to stop)
- read back: `logs` finds runs and scores their replies again, `task_log` reads a task's log, `run_card`,
  `quality`
- stored replies come from `importing`, a second reader
  (`rereading`) or a person (`answering`)
- several runs: `comparison`, `repeats`
"""
