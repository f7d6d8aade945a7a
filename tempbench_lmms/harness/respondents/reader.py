"""`tempbench_reader`: a respondent that really sees the coded pictures of `tempbench check-model`.

It needs no weights: it decodes the codes from the pixels and knows the check's questions. So the check itself
is tested from end to end.
"""

from collections.abc import Sequence
from typing import Any

from tempbench_lmms.check import sighted_reader
from tempbench_lmms.check.inputs import Inputs
from tempbench_lmms.harness.respondents.simple import Respondent, whole


class Reader(Respondent):
    """Answers from what it sees."""

    is_simple = False

    def __init__(
        self, batch_size: int | str = 1, frames: int | str = sighted_reader.FRAMES, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.batch_size = whole("batch_size", batch_size or 1, 1)
        self.frames = whole("frames", frames, 1)

    def generate_until(self, requests: list[Any]) -> list[str]:
        """Returns one reply a request, in order."""
        replies: list[str] = []
        for start in range(0, len(requests), self.batch_size):
            batch = [self._inputs(request) for request in requests[start : start + self.batch_size]]
            replies += self.read(batch)
        return replies

    def _inputs(self, request: Any) -> Inputs:
        _, to_messages, generation, doc_id, task, split = request.args
        return sighted_reader.inputs_of(
            to_messages(self.task_dict[task][split][doc_id]), generation, self.frames
        )

    def read(self, batch: Sequence[Inputs]) -> list[str]:
        """Returns the replies to questions as they arrived."""
        return [sighted_reader.reply(inputs) for inputs in batch]
