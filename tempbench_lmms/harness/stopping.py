"""Stops a task early when its answers are enough for a decision.

The harness passes all questions at once and expects a reply to each. Here, whole groups of questions are
asked in a given order, and after each portion a callback says whether the task is decided (`runs.deciding`).
The remaining groups are then removed from the harness's tasks, and the results file records it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.adapter import reply_of

KEY = "until_decided"
"""The key of a results file for how a run was decided, by task."""
# Older versions would score the removed questions too.
MINIMUM = (0, 7, 3)


@dataclass
class Stopping:
    """When each task of a run may stop.

    Attributes:
        groups: The groups of question numbers of each task, in the order in which they are asked.
        decide: Takes a task and the replies to further whole groups, by question number; returns after how
            many groups it was decided, or None.
        said: Returns what the results file records, by task.
        answered: The questions that count, by task.
    """

    groups: Mapping[str, Sequence[Sequence[int]]]
    decide: Callable[[str, Mapping[int, str]], int | None]
    said: Callable[[], Mapping[str, Mapping[str, Any]]]
    answered: dict[str, set[int]] = field(default_factory=dict)

    def note(self, results: Mapping[str, Any] | None) -> dict[str, Any] | None:
        """Adds the decision to what the harness writes into its results file; its first process has it."""
        if results is None:
            return None
        return {
            **results,
            "n-samples": {
                task: {**found, "effective": len(self.answered.get(task, ()))}
                for task, found in results["n-samples"].items()
            },
            KEY: {task: dict(one) for task, one in self.said().items()},
        }


def by_number(task: str, requests: Sequence[Any]) -> dict[int, int]:
    """Returns the places of a task's requests by question number, without the harness's padding.

    Raises:
        TempbenchError: A question is asked more than once.
    """
    own = [
        (request.doc_id, place)
        for place, request in enumerate(requests)
        if request.task_name == task and not is_padding(request)
    ]
    found = dict(own)
    if len(found) != len(own):
        raise TempbenchError(f"{task} asks each question more than once; leave out --until-decided")
    return found


def is_padding(request: Any) -> bool:
    """Returns whether a request is only the harness's padding; its reply is not read."""
    return bool((request.metadata or {}).get("__padding_only__"))


def portions(groups: Sequence[Sequence[int]], size: int) -> Iterator[list[int]]:
    """Yields the questions of whole groups, at most `size` at a time unless a group is larger.

    >>> list(portions([[1, 2], [3], [4, 5], [6, 7, 8, 9]], 3))
    [[1, 2, 3], [4, 5], [6, 7, 8, 9]]
    """
    portion: list[int] = []
    for group in groups:
        if portion and len(portion) + len(group) > size:
            yield portion
            portion = []
        portion += group
    if portion:
        yield portion


def text_of(answer: Any, tags: Any) -> str:
    """Returns the reply that a task's hook gets for an answer.

    Args:
        answer: The answer of the harness's model.
        tags: The tags of reasoning that the harness removes, in the form of its `--reasoning_tags`.
    """
    from lmms_eval.api.instance import unwrap_generation_output
    from lmms_eval.api.reasoning import parse_reasoning_tags_config, strip_reasoning_tags

    reply = reply_of([unwrap_generation_output(answer)[0]])
    pairs = parse_reasoning_tags_config(cli_value=tags)
    return reply if pairs is None else str(strip_reasoning_tags(reply, pairs))
