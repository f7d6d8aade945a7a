"""Respondents on tasks, through the harness's Python interface; and how the tiny model is asked."""

import functools
import json


def tiny_args(folder, *more):
    """Returns the `model_args` of the tiny model in a folder; large pictures would take most of its time."""
    size = "min_pixels=3136,max_pixels=50176"
    given = f"pretrained={folder},device=cpu,device_map=cpu,attn_implementation=sdpa,{size}"
    return ",".join([given, *more])


def evaluate(harness, wanted):
    """Returns the results of several evaluations in this process, by name.

    Args:
        harness: The fixture.
        wanted: Of each its name, the respondent, the tasks, and further arguments of `simple_evaluate`.
    """
    manager = harness.TaskManager()
    run = functools.partial(harness.evaluator.simple_evaluate, task_manager=manager)
    found = {
        name: run(model=f"tempbench_{model}", tasks=list(tasks), **more)["results"]
        for name, model, tasks, more in wanted
    }
    return json.loads(json.dumps(found, default=str))
