"""All code that depends on lmms-eval: plugin, hooks, tasks, answer cache, models without weights."""
