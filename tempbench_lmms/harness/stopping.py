"""Ends the asking of a task where what is answered decides what was to be found out.

The harness hands over all questions at once and wants a reply to each. Here whole groups of questions are
asked in an order that is given, and after each portion somebody who knows what is to be found out says
whether it is (`runs.deciding`). Then the harness forgets the questions of the other groups, and the results
file says so.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.plugin import harness_version

KEY = "until_decided"
"""Where a results file says, by task, how a run was decided."""
# An older one scores the questions that it has forgotten, too.
MINIMUM = (0, 7, 3)


@dataclass
class Stopping:
    """When each task of a run may stop.

    Attributes:
        groups: Of each task the groups of its questions' numbers, in the order in which they are asked.
        decide: Takes a task and the replies to further whole groups, by the questions' numbers; returns after
            how many groups it was decided, None where it is not.
        said: Returns by task what a results file says of it.
        answered: By task the questions that count.
    """

    groups: Mapping[str, Sequence[Sequence[int]]]
    decide: Callable[[str, Mapping[int, str]], int | None]
    said: Callable[[], Mapping[str, Mapping[str, Any]]]
    answered: dict[str, set[int]] = field(default_factory=dict)

    def count(self, task: str, n_groups: int) -> None:
        """Notes that the first groups of a task count."""
        self.answered[task] = {number for group in self.groups[task][:n_groups] for number in group}

    def forget(self, tasks: Mapping[str, Any]) -> None:
        """Takes out of the harness's tasks the requests that do not count."""
        for name, numbers in self.answered.items():
            tasks[name]._instances[:] = [one for one in tasks[name].instances if one.doc_id in numbers]

    def noting(self, evaluate: Callable[..., Any]) -> Callable[..., Any]:
        """Returns the harness's evaluation, with results that say how it was decided."""

        def evaluated(*args: Any, **kwargs: Any) -> Any:
            results = evaluate(*args, **kwargs)
            return results if results is None else self.note(results)

        return evaluated

    def note(self, results: Mapping[str, Any]) -> dict[str, Any]:
        """Returns what the harness writes into its results file, with what it does not know."""
        counts = {
            task: {**found, "effective": len(self.answered.get(task, ()))}
            for task, found in results["n-samples"].items()
        }
        return {**results, "n-samples": counts, KEY: {task: dict(one) for task, one in self.said().items()}}


def by_number(task: str, requests: Sequence[Any]) -> dict[int, int]:
    """Returns the places of a task's requests by the numbers of their questions.

    What the harness repeats so that each process has as many is left out.

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
        raise TempbenchError(
            f"{task}: its questions are asked more than once each; leave out --until-decided"
        )
    return found


def is_padding(request: Any) -> bool:
    """Returns whether the harness repeats a request to make up the number, so that nobody reads the reply."""
    return bool((request.metadata or {}).get("__padding_only__"))


def portions(groups: Sequence[Sequence[int]], size: int) -> Iterator[list[int]]:
    """Yields the questions of whole groups, no more than `size` where a group is no larger.

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


def check_harness() -> None:
    """Checks that the harness takes it that questions are forgotten.

    Raises:
        TempbenchError: It is too old.
    """
    harness_version(MINIMUM, "--until-decided")


def text_of(answer: Any, tags: Any) -> str:
    """Returns the reply that a task's hook gets of an answer.

    Args:
        answer: As the harness's model gives it.
        tags: Of the thoughts that the harness takes out, as its `--reasoning_tags` has them.
    """
    from lmms_eval.api.instance import unwrap_generation_output
    from lmms_eval.api.reasoning import parse_reasoning_tags_config, strip_reasoning_tags

    from tempbench_lmms.harness.adapter import reply_of

    reply = reply_of([unwrap_generation_output(answer)[0]])
    pairs = parse_reasoning_tags_config(cli_value=tags)
    return reply if pairs is None else str(strip_reasoning_tags(reply, pairs))
