"""All that knows lmms-eval: the plugin, hooks' adapter, tasks, answer cache, models without weights."""
