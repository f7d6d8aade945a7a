"""The lines of the check, and the faults between a task and a model with their remedies.

`FAULTS` has each fault's name, the line that it breaks, and what to change in the wrapper. The faults are
measured in `looks` (pixels), `judging` (order, texts, videos, settings) and `replies`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

State = Literal["passed", "failed", "cannot be seen from here"]
PASSED: State = "passed"
FAILED: State = "failed"
UNSEEN: State = "cannot be seen from here"
NOT_NEEDED = "not needed"
"""Printed in place of `failed` if a failure does not count."""

GROUPS: dict[str, dict[str, str]] = {
    "pictures": {
        "number": "as many images arrive as are given",
        "order": "images arrive in the order given",
        "apart": "images arrive apart, not joined",
        "content": "images show what was given",
        "size": "images are not shrunk beyond use",
        "colours": "pictures and frames have their colours",
        "geometry": "pictures and frames are whole, upright and in shape",
        "quality": "pictures and frames are sharp and clean",
        "many": "many images arrive, in order",
        "interleaved": "text and images alternate as given",
    },
    "text": {
        "text": "the whole text arrives, long ones too",
        "signs": "the text arrives with its case, spaces, signs and scripts",
        "system": "nothing is added to the text",
        "system message": "a system message arrives",
    },
    "videos": {
        "video": "a video arrives, and its own frames",
        "video length": "a video's frames are enough, from its beginning to its end",
        "video order": "a video's frames are in order, none repeated",
        "short video": "a video of 12 frames arrives, with its times",
        "mkv video": "a video that is not an .mp4 arrives too",
        "times": "the model is told a video's true times",
        "frames as a video": "frames that are given as a video arrive",
    },
    "replies": {
        "asked": "every question gets a reply",
        "replies": "each reply is the model's own, to its question",
        "max_new_tokens": "replies are as long as the task says",
        "greedy": "replies are not drawn by chance",
        "stop": "a reply ends only at its own end",
        "batch": "a question in a batch arrives as it does alone",
        "twice": "the same question gets the same reply",
    },
}
LINES: dict[str, str] = {line: title for lines in GROUPS.values() for line, title in lines.items()}
"""What each line of the check promises, by its key; the kinds of questions come after these."""

_LIMIT = "raise the limit of images (limit_mm_per_prompt, max_images), and hand over every one"
_BY_PLACE = "keep a list of the request's own images, and hand it over as it is"
_LENGTH = "raise max_length, max_model_len or any other limit that cuts the prompt"
_FRAMES = "take frames evenly from the first to the last one, 8 or more (num_frames, max_num_frames, fps)"
_TIMES = "tell each frame's own time: index / fps of the file, as metadata of the processor or between frames"
_AS_IT_IS = "hand over the text as the task gives it"
_RGB = "hand over RGB: image.convert('RGB'), or frame[..., ::-1] after cv2"
_RESIZE = "leave the size to the model's processor (max_pixels and the like), without steps of your own"
_REPLIES = "return replies in the order of the requests: remember each request's place when you sort or batch"
_ONE = "check padding and state shared between rows; until then use --batch-size 1"
FAULTS: dict[str, tuple[str, str]] = {
    "request failed": ("asked", "see the error; use fewer frames or pixels if memory runs out"),
    "empty replies": ("asked", "check the template, stop words, and tokens spent on thinking"),
    "some replies empty": (
        "asked",
        "return the model's reply to every question, at every place of a batch",
    ),
    "another number of replies": ("asked", "return one reply for each request"),
    "images dropped": ("number", _LIMIT),
    "images doubled": ("number", _BY_PLACE),
    "images swapped": ("order", _BY_PLACE),
    "images reversed": ("order", _BY_PLACE),
    "images in another order": ("order", _BY_PLACE),
    "images joined": ("apart", "hand over each image by itself, not as one strip"),
    "blank images": ("content", "check whether pixels are rescaled twice: they lost their contrast"),
    "unreadable images": ("content", "check each step between the request and the processor"),
    "images of another question": ("content", _BY_PLACE),
    "images shrunk": ("size", "raise max_pixels, max_patches or the like"),
    "channels swapped": ("colours", _RGB),
    "grey": ("colours", "convert to 'RGB', not to 'L'"),
    "inverted": ("colours", "hand over the pixels as they are"),
    "other colours": ("colours", "normalise once, with the mean and deviation of the model's processor"),
    "mirrored": ("geometry", "pass images unrotated; check augmentations and axes"),
    "upside down": ("geometry", "pass images unrotated; check augmentations and axes"),
    "rotated": ("geometry", "pass images unrotated; check augmentations and axes"),
    "cropped": ("geometry", "resize without a crop, and hand over whole images"),
    "bordered": ("geometry", "hand over images without a border of your own"),
    "squashed": ("geometry", "keep width to height when you resize"),
    "blurred": ("quality", _RESIZE),
    "compressed": ("quality", "send PNG, or JPEG of quality 75 and more"),
    "noisy": ("quality", "hand over the pixels as they are"),
    "text and images apart": ("interleaved", "keep the order of the parts of `doc_to_messages`"),
    "text missing": ("text", _AS_IT_IS),
    "prompt cut": ("text", _LENGTH),
    "prompt begins later": ("text", "cut nothing from the left: " + _LENGTH),
    "options cut": ("text", _LENGTH),
    "text doubled": ("text", _AS_IT_IS + ", once"),
    "case lost": ("signs", _AS_IT_IS + ", without lower() or upper()"),
    "spaces lost": ("signs", _AS_IT_IS + "; check how tokens are joined"),
    "line breaks lost": ("signs", _AS_IT_IS + ", without split() and join()"),
    "angle brackets lost": (
        "signs",
        _AS_IT_IS + "; a filter for HTML or for placeholders takes `<...>` away",
    ),
    "other scripts lost": ("signs", "keep Unicode: no ASCII, no unidecode, no errors='ignore'"),
    "signs lost": ("signs", _AS_IT_IS + ", with its punctuation"),
    "text escaped": ("signs", _AS_IT_IS + ", without html.escape or json.dumps"),
    "system prompt added": (
        "system",
        "empty the system prompt, or pass it as system_prompt= if it is wanted",
    ),
    "text added": ("system", "add nothing; pass a wanted system prompt as system_prompt="),
    "template doubled": ("system", "fill in the chat template once: in the wrapper or in the engine"),
    "template left out": ("system", "use the processor's apply_chat_template"),
    "system message dropped": ("system message", "hand over messages of the role system too"),
    "video dropped": ("video", "hand over parts of the type video: a path, or a list of frames"),
    "blank frames": ("video", "check whether pixels are rescaled twice: they lost their contrast"),
    "unreadable frames": ("video", "check each step between the file and the processor"),
    "frames of another question": ("video", _BY_PLACE),
    "video as one frame": ("video", _FRAMES),
    "frames shrunk": ("video", "raise max_pixels or the like"),
    "frames dropped": ("video length", "hand over all frames of a list"),
    "few frames": ("video length", _FRAMES),
    "part of a video": ("video length", _FRAMES),
    "frames unevenly spread": ("video length", _FRAMES),
    "frames reversed": ("video order", "keep the frames' order"),
    "frames repeated": ("video order", "take each frame once; ask for no more than the video has"),
    "frames in another order": ("video order", "sort the frames by their index"),
    "no times": ("times", _TIMES + "; or take rextime_frames, whose text has them"),
    "wrong times": ("times", _TIMES),
    "times of another video": ("times", _TIMES + "; --batch-size 1 until then"),
    "max_new_tokens ignored": (
        "max_new_tokens",
        "pass on max_new_tokens of gen_kwargs; set it in --model-args",
    ),
    "sampling": ("greedy", "pass on do_sample=False or temperature=0, also in generation_config.json"),
    "stop words added": ("stop", "stop only at `until` of gen_kwargs"),
    "batch fails": ("batch", _ONE),
    "batch leaks": ("batch", _ONE),
    "another reply in a batch": ("batch", _ONE),
    "another reply": ("twice", "set temperature=0 or do_sample=False, and a seed in the server"),
    "question never asked": ("replies", "ask the model every question: a cache must hold its media too"),
    "reply of another question": ("replies", _REPLIES),
    "reply of an earlier question with its text": (
        "replies",
        "a cache's key must hold the media, not the text alone",
    ),
    "one reply for all": ("replies", _REPLIES),
    "reply cut": ("replies", "return the whole reply"),
    "reply lost": ("replies", "return what the model says"),
    "echo of the question": ("replies", "return only the new tokens: output[len(prompt):]"),
    "reply changed": ("replies", "return what the model says"),
}
"""By name: the line, and what to change in the wrapper."""

_OF_ERRORS = {
    "Found no NVIDIA driver": "no GPU was found: add device=cpu,device_map=cpu to --model-args",
    "No CUDA GPUs are available": "no GPU was found: add device=cpu,device_map=cpu to --model-args",
    "not compiled with CUDA": "no GPU was found: add device=cpu,device_map=cpu to --model-args",
    "'str' object has no attribute 'choices'": "the server's answer is not a chat completion; is "
    "base_url right, with /v1?",
    "torchcodec": "pip install torchcodec, which needs FFmpeg's libraries",
    "torchvision.io": "ask for no more frames than the shortest video has (max_num_frames), or for fps=2",
}
ALL_FAIL = (
    "every request failed: for a server check base_url, the model's name, timeout and key; otherwise "
    "--model-args"
)


def of_error(error: str) -> str:
    """Returns what to do about an error of a runner; empty if unknown."""
    return next((hint for words, hint in _OF_ERRORS.items() if words in error), "")


@dataclass(frozen=True)
class Fault:
    """A difference between what was given and what arrived."""

    name: str
    given: str
    arrived: str
    own: str = ""

    @property
    def line(self) -> str:
        """The line that it breaks."""
        return self.own or FAULTS[self.name][0]


@dataclass(frozen=True)
class Judgement:
    """The findings about one question."""

    faults: tuple[Fault, ...] = ()
    seen: frozenset[str] = frozenset()
    hidden: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    """The verdict on one line of the check."""

    line: str
    title: str
    state: State
    faults: tuple[str, ...] = ()
    text: str = ""
    hint: str = ""
    counts: bool = True

    def as_json(self) -> dict[str, Any]:
        """Returns it as JSON values."""
        return asdict(self) | {"faults": list(self.faults)}

    def as_text(self) -> str:
        """Returns it as a line for a terminal."""
        what = f": {self.text}" if self.text else ""
        hint = f" [{self.hint}]" if self.hint else ""
        if self.state == FAILED and not self.counts:
            return f"{NOT_NEEDED}  {self.title}{what} (it fails, and no task asked for needs it){hint}"
        state = self.state.upper() if self.state == FAILED else self.state
        return f"{state}  {self.title}{what}{hint}"


def verdicts_of(judgements: Iterable[Judgement], needed: Iterable[str] | None = None) -> list[Verdict]:
    """Returns one verdict per line from the findings about all questions."""
    found = list(judgements)
    wanted = None if needed is None else set(needed)
    out = []
    for line, title in LINES.items():
        counts = wanted is None or line in wanted
        faults = [fault for one in found for fault in one.faults if fault.line == line]
        if faults:
            out.append(_failed(line, title, faults, counts))
        elif any(line in one.seen for one in found):
            note = next((one.notes[line] for one in found if line in one.notes), "")
            out.append(Verdict(line, title, PASSED, text=note, counts=counts))
        else:
            why = next((one.hidden[line] for one in found if line in one.hidden), "nothing shows it")
            out.append(Verdict(line, title, UNSEEN, text=why, counts=counts))
    return out


def _failed(line: str, title: str, faults: Sequence[Fault], counts: bool) -> Verdict:
    first = {fault.name: fault for fault in reversed(faults)}
    names = tuple(dict.fromkeys(fault.name for fault in faults))
    texts = (f"{name}: given {first[name].given}; arrived {first[name].arrived}" for name in names)
    hints = dict.fromkeys(of_error(first[name].arrived) or FAULTS[name][1] for name in names)
    return Verdict(line, title, FAILED, names, " | ".join(texts), "; ".join(hints), counts)
