"""Listens to the methods through which runners reach their models."""

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

from tempbench_lmms.check.inputs import Inputs

Tell = Callable[[Sequence[Inputs]], None]
"""Called with all questions of a call, in order."""


def _unheard(out: Any, *args: Any, **more: Any) -> Sequence[str | None]:
    return ()


@dataclass(frozen=True)
class Way:
    """A method through which runners reach a model.

    Attributes:
        owner: The object or class that has the method.
        name: The method's name.
        read: Returns what the method's arguments give to the model, one item per question.
        said: Returns what the model said, from the method's result and its arguments.
    """

    owner: Any
    name: str
    read: Callable[..., Sequence[Inputs]]
    said: Callable[..., Sequence[str | None]] = _unheard

    def heard(self, tell: Tell) -> Any:
        """Returns a patch that tells of each call, and passes it on unchanged."""
        call = getattr(self.owner, self.name)

        def end(asked: Sequence[Inputs], out: Any, *args: Any, **more: Any) -> Any:
            said = self.said(out, *args, **more)
            said = said if len(said) == len(asked) else [None] * len(asked)
            tell([replace(one, said=text) for one, text in zip(asked, said, strict=True)])
            return out

        @contextlib.contextmanager
        def telling_failures(asked: Sequence[Inputs]) -> Iterator[None]:
            try:
                yield
            except Exception as error:  # some runners answer with an empty reply instead
                tell([replace(one, error=f"{type(error).__name__}: {error}") for one in asked])
                raise

        async def later(asked: Sequence[Inputs], out: Any, *args: Any, **more: Any) -> Any:
            with telling_failures(asked):
                out = await out
            return end(asked, out, *args, **more)

        @functools.wraps(call)
        def told(*args: Any, **more: Any) -> Any:
            asked: Sequence[Inputs] = []
            with contextlib.suppress(AttributeError, KeyError, TypeError, ValueError):  # an unknown form
                asked = self.read(*args, **more)
            with telling_failures(asked):
                out = call(*args, **more)
            return (later if inspect.isawaitable(out) else end)(asked, out, *args, **more)

        return mock.patch.object(self.owner, self.name, told)
