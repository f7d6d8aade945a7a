"""What a wrapper hands to a processor of Hugging Face whose model cannot be found."""

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

from tempbench_lmms.check.inputs import Inputs, Video
from tempbench_lmms.harness.watching import handed, templates
from tempbench_lmms.harness.watching.owned import processor_of


def applies(lm: Any) -> bool:
    """True for a runner that has a processor."""
    return processor_of(lm) is not None


@contextlib.contextmanager
def watching(lm: Any, tell: Callable[[list[Inputs]], None]) -> Iterator[None]:
    """Tells of each call of the processor."""
    processor = processor_of(lm)
    template = templates.of(processor)
    call = type(processor).__call__
    names = inspect.signature(call)

    @functools.wraps(call)
    def told(self: Any, *args: Any, **more: Any) -> Any:
        bound = names.bind(self, *args, **more).arguments
        named = {**bound, **bound.get("kwargs", {})}
        if named.get("text") and (named.get("images") is not None or named.get("videos") is not None):
            tell(list(_questions(named, template)))
        return call(self, *args, **more)

    with mock.patch.object(type(processor), "__call__", told):
        yield


def _questions(named: dict[str, Any], template: templates.Template) -> Iterator[Inputs]:
    texts = named["text"]
    texts = [texts] if isinstance(texts, str) else list(texts)
    images, videos = ([] if named.get(key) is None else named[key] for key in ("images", "videos"))
    images = list(images) if isinstance(images, (list, tuple)) else [images]
    for i, text in enumerate(texts):
        nested = bool(images) and isinstance(images[0], (list, tuple))
        own = images[i] if nested else images if len(texts) == 1 else images[i :: len(texts)]
        parts = list(handed.of_prompt(text, own, videos if len(texts) == 1 else videos[i : i + 1]))
        # Times are given beside the frames, if at all.
        parts = [Video(one.frames, hides_times=True) if isinstance(one, Video) else one for one in parts]
        count = templates.count(parts, template)
        yield Inputs(tuple(templates.with_roles(parts, template)), templates=count)
