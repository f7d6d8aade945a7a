"""Embeddings of pictures, kept for the next question about the same ones: their tower runs once.

Models of `transformers` turn pictures into embeddings in one method for images and one for videos. It is
wrapped where it stands: a call with the same pixels, bit for bit, and the same other arguments gets a copy of
what the first such call gave. All pictures of a call are one set: to encode some of a set alone would change
the shape of matrix products, and with it the last bits of logits.
"""

import copy
import functools
import math
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

METHODS = ("get_image_features", "get_video_features")
"""Of the models of `transformers`: from pixels to what stands in the prompt in place of a picture."""

_SETS = 64
_MB = 10**6
_LIBRARY = "transformers."
_Plain = (str, bytes, int, float, bool, type(None))


class UnkeyedError(Exception):
    """Something in a call's arguments is neither a tensor nor a plain value."""


class VisionCache:
    """Keeps what vision towers have made of pictures, up to a size.

    Args:
        room: Bytes of embeddings and of the pixels by which they are found; they lie on the model's device.

    Attributes:
        encoded: Picture sets that a vision tower has encoded.
        reused: Picture sets whose embeddings were there.
        held: Bytes now in use.
    """

    def __init__(self, room: int) -> None:
        self.room, self.held = room, 0
        self.encoded, self.reused = 0, 0
        self._too_large = self._largest = 0
        self._sets: OrderedDict[int, _Set] = OrderedDict()
        self._number = 0
        self._is_inside = self._is_used = False

    def said(self) -> str:
        """Returns what came of it, in a line."""
        if not self._is_used:
            return (
                "--vision-cache had nothing to do: the runner has no model of transformers with a method "
                f"named {' or '.join(METHODS)}; leave it out"
            )
        total = self.encoded + self.reused
        others = "the others" if self.reused else "none"
        said = f"{self.encoded:,} of {total:,} picture sets were encoded, {others} came from the vision cache"
        if self._too_large:
            said += (
                f"; {self._too_large:,} of them had no room in {self.room / _MB:,.3g} MB, the largest needs "
                f"--vision-cache {math.ceil(self._largest / _MB)}"
            )
        return said

    def forget(self) -> None:
        """Lets go of all embeddings, as where memory is short."""
        self._sets.clear()
        self.held = 0

    @contextmanager
    def around(self, lm: Any) -> Iterator[bool]:
        """Within the block a runner's model takes embeddings from here; yields whether it can.

        Where the runner answers one question at a time, it takes them in the order in which they are given.

        Args:
            lm: A runner of the harness.
        """
        owners = owners_of(lm)
        self._is_used |= bool(owners)
        for owner, name in owners:
            setattr(owner, name, self._remembering(owner, getattr(owner, name)))
        try:
            with _as_given(bool(owners) and getattr(lm, "batch_size", None) == 1):
                yield bool(owners)
        finally:
            for owner, name in owners:
                delattr(owner, name)

    def _remembering(self, owner: Any, method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)  # `generate` reads the signature
        def remembering(*given: Any, **named: Any) -> Any:
            if self._is_inside or _may_differ(owner):
                return method(*given, **named)
            self._is_inside = True  # a method for videos may call that for images
            try:
                return self._found(method, given, named)
            finally:
                self._is_inside = False

        return remembering

    def _found(self, method: Callable[..., Any], given: Sequence[Any], named: Mapping[str, Any]) -> Any:
        tensors: list[Any] = []
        try:
            plain = method, _shape(given, tensors), _shape(named, tensors)
        except UnkeyedError:
            self.encoded += 1
            return method(*given, **named)
        for number, one in reversed(self._sets.items()):
            if one.plain == plain and all(map(_same, one.tensors, tensors)):
                self._sets.move_to_end(number)
                self.reused += 1
                return copy.deepcopy(one.output)
        self.encoded += 1
        output = method(*given, **named)
        if (one := _Set(plain, tensors, output)).size <= self.room:
            self._keep(one)
        else:
            self._too_large, self._largest = self._too_large + 1, max(self._largest, one.size)
        return output

    def _keep(self, one: "_Set") -> None:
        while self._sets and (self.held + one.size > self.room or len(self._sets) >= _SETS):
            self.held -= self._sets.popitem(last=False)[1].size
        self._number += 1
        self._sets[self._number] = one.copied()
        self.held += one.size


class _Set:
    """The pictures of one call and what became of them.

    Args:
        plain: The method of one module, and the arguments with the form of each tensor in its place.
        tensors: The tensors, in order.
        output: What the method returned.
    """

    def __init__(self, plain: Any, tensors: Sequence[Any], output: Any) -> None:
        self.plain, self.tensors, self.output = plain, tensors, output
        # Of a view its copy holds no more than it shows; outputs are copied with all that they are views of.
        self.size = sum(one.nbytes for one in tensors) + _bytes_of(output)

    def copied(self) -> "_Set":
        """Returns the same, which nobody else can change."""
        return _Set(self.plain, [one.detach().clone() for one in self.tensors], copy.deepcopy(self.output))


def owners_of(lm: Any) -> list[tuple[Any, str]]:
    """Returns which modules of a runner's model turn pictures into embeddings, and by which methods.

    Those of `transformers` itself alone: what a method of other code does beside returning embeddings nobody
    knows. Outer classes hand a call on to inner ones; the innermost count.
    """
    import torch

    model = getattr(lm, "model", None)
    if not isinstance(model, torch.nn.Module):
        return []
    found = []
    for module in model.modules():
        inner = [one for one in module.modules() if one is not module]
        found += [
            (module, name)
            for name in METHODS
            if _has(module, name) and not any(_has(one, name) for one in inner)
        ]
    return found


def _has(module: Any, name: str) -> bool:
    """Whether a module's class has a method, and is one of `transformers`."""
    return hasattr(type(module), name) and type(module).__module__.startswith(_LIBRARY)


def _may_differ(owner: Any) -> bool:
    """Whether the same call may give something else: with dropout, or with gradients that are of one call."""
    import torch

    return bool(owner.training) or torch.is_grad_enabled()


def _shape(value: Any, tensors: list[Any]) -> Any:
    """Returns a value that is equal for equal arguments but for the content of tensors, which are collected.

    Raises:
        UnkeyedError: There is something else.
    """
    import torch

    if isinstance(value, torch.Tensor):
        tensors.append(value)
        return "tensor", tuple(value.shape), str(value.dtype), str(value.device)
    if isinstance(value, _Plain):
        return type(value).__name__, value
    if isinstance(value, Mapping):
        return tuple((name, _shape(value[name], tensors)) for name in sorted(value))
    if isinstance(value, (list, tuple)):
        return tuple(_shape(one, tensors) for one in value)
    raise UnkeyedError


def _same(one: Any, other: Any) -> bool:
    """Whether two tensors of one form are the same in every bit; minus zero is not zero."""
    import torch

    bits = (each.contiguous().view(-1).view(torch.uint8) for each in (one, other))
    return bool(torch.equal(*bits))


def _bytes_of(value: Any) -> int:
    """Returns how much memory the tensors in a value take, those that share it counted once."""
    sizes: dict[int, int] = {}
    _add_sizes(value, sizes)
    return sum(sizes.values())


def _add_sizes(value: Any, sizes: dict[int, int]) -> None:
    import torch

    if isinstance(value, torch.Tensor):
        storage = value.untyped_storage()
        sizes[storage.data_ptr()] = storage.nbytes()
    elif isinstance(value, Mapping):
        for one in value.values():
            _add_sizes(one, sizes)
    elif isinstance(value, (list, tuple)):
        for one in value:
            _add_sizes(one, sizes)


@contextmanager
def _as_given(wanted: bool) -> Iterator[None]:
    """Within the block the harness's `Collator` leaves questions in their order, where that is wanted.

    Runners sort questions by their texts, which scatters those about the same pictures. With one question at
    a time no reply depends on the order.
    """
    from lmms_eval.utils import Collator

    original = Collator.__init__

    @functools.wraps(original)
    def unsorted(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        self.fn = lambda question: 0

    if wanted:
        Collator.__init__ = unsorted
    try:
        yield
    finally:
        Collator.__init__ = original
