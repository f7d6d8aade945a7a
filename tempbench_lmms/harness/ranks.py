"""The processes of one run: they compare what they are about to do, and the first one decides.

The harness's own process group comes with the model. So that a run of several processes can stop before a
model is loaded, they agree through the key-value store of PyTorch's launchers.
"""

import contextlib
import datetime
import itertools
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from tempbench_lmms.data.bounds import whole_number
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.identity import differences

DECISION = "decision"
"""The first process's decision: the `fingerprint` of the run's model, or the `status` with which to end."""
_SAID = "identity"
_HOUR = 3600.0
_RUNS = itertools.count()


class Ranks:
    """This process among those of the run.

    Attributes:
        rank: Its number, from 0.
        size: The number of processes.

    Raises:
        TempbenchError: The launcher's variables are invalid.
    """

    def __init__(self) -> None:
        self.rank, self.size = whole_number("RANK", 0, least=0), whole_number("WORLD_SIZE", 1)
        if not 0 <= self.rank < self.size or (self.size > 1 and not os.environ.get("RANK")):
            raise TempbenchError(
                f"RANK is {self.rank} and WORLD_SIZE {self.size}; start the processes with torchrun, or "
                "unset both"
            )
        # What ended processes, or an earlier run of these, have said stays in the launcher's store.
        self._name = f"tempbench/{os.environ.get('TORCHELASTIC_RESTART_COUNT', 0)}/{next(_RUNS)}"
        self._store: Any = None

    def tell(self, name: str, value: Any) -> None:
        """Sends one value to every process."""
        if self.size > 1:
            self._with_store(lambda store: store.set(name, json.dumps(value)))

    def hear(self, name: str, seconds: float = 24 * _HOUR) -> Any:
        """Waits for a process's value under a name, and returns it."""

        def heard(store: Any) -> Any:
            store.wait([name], datetime.timedelta(seconds=seconds))
            return json.loads(store.get(name))

        return self._with_store(heard)

    def tell_all(self, name: str, value: Any) -> None:
        """Sends a value and waits a minute for all to read it; the store may end with this process."""
        self.tell(name, value)
        end = time.monotonic() + 60
        for other in range(1, self.size):
            with contextlib.suppress(TempbenchError):
                self.hear(f"{name}/heard/{other}", max(0.1, end - time.monotonic()))

    def _with_store(self, use: Callable[[Any], Any]) -> Any:
        from torch.distributed import PrefixStore, rendezvous

        try:
            if self._store is None:
                found = rendezvous("env://", timeout=datetime.timedelta(minutes=10))
                self._store = PrefixStore(self._name, next(iter(found))[0])
            return use(self._store)
        except (ValueError, RuntimeError, OSError) as error:  # torch.distributed.DistError is one
            why = one_line(str(error) or repr(error))[:200]
            raise TempbenchError(
                f"process {self.rank} of {self.size} cannot reach the others ({why}); start all of them "
                "again, with torchrun or accelerate launch"
            ) from None


def compare(ranks: Ranks, own: Mapping[str, Any]) -> None:
    """Compares the plans of the other processes with the first one's `own`.

    Raises:
        TempbenchError: They differ, or a process failed.
    """
    lines = []
    for other in range(1, ranks.size):
        said = ranks.hear(f"{_SAID}/{other}", _HOUR)
        who = f"process {other} on {said['host']}"
        if "error" in said:
            lines.append(f"{who}: {said['error']}")
        elif differing := differences(json.loads(json.dumps(own)), said["identity"]):
            lines.append(f"{who} has another {', '.join(differing)} than process 0 on {platform.node()}")
    if lines:
        more = f" (and {len(lines) - 1} more processes)" if lines[1:] else ""
        raise TempbenchError(
            f"{lines[0]}{more}; nothing was asked: give all processes the same data, package and options"
        )


def follow(ranks: Ranks, stated: Callable[[], dict[str, Any]]) -> str:
    """Tells the first process what this one is about to do, and waits for its decision.

    Args:
        ranks: The processes.
        stated: Returns what must be equal in all processes.

    Returns:
        The fingerprint of the model.

    Raises:
        SystemExit: There is nothing to do, or all processes must end; with the status.
    """
    said: dict[str, Any] = {"host": platform.node()}
    try:
        said["identity"] = stated()
    except TempbenchError as error:
        said["error"] = str(error)
    ranks.tell(f"{_SAID}/{ranks.rank}", said)
    decided = ranks.hear(DECISION)
    ranks.tell(f"{DECISION}/heard/{ranks.rank}", True)
    if "status" in decided:
        raise SystemExit(decided["status"])
    return str(decided["fingerprint"])


def end_all(ranks: Ranks, error: Exception) -> NoReturn:
    """Ends all processes after printing the one line that says why.

    The others wait for it, because a launcher ends all processes as soon as one ends.
    """
    print(f"tempbench: {error}", file=sys.stderr, flush=True)
    with contextlib.suppress(TempbenchError):
        ranks.tell_all(DECISION, {"status": 1})
    raise SystemExit(1)
