"""Runs, from the command to the comparison.

- before: `starting` (what a run is, and its checks), `arguments` (of the harness), `planning`, `model_check`
- during: `safe_run`, `supervision` (of a hanging run), `deciding` (when to stop), `ending`, `results`
- read back: `logs` finds and reads, `task_log` has what is read, `run_card`, `quality`, `unfinished`
- stored replies: `rescoring` computes scores from them; they come from `importing` (`formats`),
  `offline`, a second reader (`rereading`, `second_readers`, `second_scores`) or a person (`answering`)
- several runs: `comparison`, `repeats`
"""
