"""The lines of the check, and the faults between a task and a model with their remedies.

`verdict` decides the lines; `judging` and `replies` measure them.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple

SECTIONS: dict[str, dict[str, str]] = {
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
LINES: dict[str, str] = {line: title for lines in SECTIONS.values() for line, title in lines.items()}
"""What each line of the check promises, by its key; the kinds of questions come after these."""

_BY_PLACE = "keep a list of the request's own images, and hand it over as it is"
_FRAMES = "take 8 frames or more evenly, each once, sorted by index (num_frames, max_num_frames, fps)"
_TIMES = "tell each frame's own time: index / fps of the file, as metadata or between frames"
_AS_IT_IS = "hand over the text as the task gives it, once"
_DECODED = "hand over parts of the type video, a path or a list of frames; check what decodes it"
# What to change in the wrapper, by a line or a fault of it.
_HINTS = {
    "number": f"raise the limit of images (limit_mm_per_prompt, max_images); {_BY_PLACE}",
    "order": _BY_PLACE,
    "apart": "hand over each image by itself, not as one strip or sheet",
    "content": "check each step between the request and the processor: what is rescaled twice, or kept",
    "size": "raise max_pixels, max_patches or the like",
    "colours": "hand over RGB (image.convert('RGB'), frame[..., ::-1] after cv2), normalised once",
    "geometry": "pass whole images, unrotated and in shape; check augmentations and axes",
    "quality": "leave the size to the model's processor; send PNG, or JPEG of quality 75 and more",
    "many": "raise the limit of images (limit_mm_per_prompt, max_images)",
    "interleaved": "keep the order of the parts of `doc_to_messages`",
    "text": f"{_AS_IT_IS}; raise max_length, max_model_len or any other limit that cuts the prompt",
    "signs": _AS_IT_IS,
    "system": "add nothing; pass a wanted system prompt as system_prompt= in --model-args",
    "system message": "hand over messages of the role system too",
    "video": _DECODED,
    "video length": _FRAMES,
    "video order": _FRAMES,
    "short video": f"{_DECODED}; {_TIMES}",
    "mkv video": _DECODED,
    "times": f"{_TIMES}; or take rextime_frames, whose text has them",
    "frames as a video": "hand over all frames of a list",
    "asked": "return what the model says, once for each request",
    "replies": "return the model's whole reply at its request's place; a cache's key needs the media",
    "max_new_tokens": "pass on max_new_tokens of gen_kwargs; set it in --model-args",
    "greedy": "pass on do_sample=False or temperature=0, also in generation_config.json",
    "stop": "stop only at `until` of gen_kwargs",
    "batch": "check padding and state shared between rows; until then use --batch-size 1",
    "twice": "set temperature=0 or do_sample=False, and a seed in the server",
    # Of single faults.
    "request failed": "see the error; use fewer frames or pixels if memory runs out",
    "empty replies": "check the template, stop words, and tokens spent on thinking",
    "angle brackets lost": f"{_AS_IT_IS}; a filter for HTML or for placeholders takes `<...>` away",
    "other scripts lost": "keep Unicode: no ASCII, no unidecode, no errors='ignore'",
    "template doubled": "fill in the chat template once: in the wrapper or in the engine",
    "template left out": "use the processor's apply_chat_template",
    "frames shrunk": "raise max_pixels or the like",
    "echo of the question": "return only the new tokens: output[len(prompt):]",
}
_OF_LINES = {
    "number": "images dropped, images doubled",
    "order": "images swapped, images reversed, images in another order",
    "apart": "images joined",
    "content": "blank images, unreadable images, images of another question",
    "size": "images shrunk",
    "colours": "channels swapped, grey, inverted, other colours",
    "geometry": "mirrored, upside down, rotated, cropped, bordered, covered, squashed",
    "quality": "blurred, compressed, noisy, detail lost",
    "interleaved": "text and images apart",
    "text": "text missing, prompt cut, prompt begins later, options cut, options changed, words lost, "
    "text doubled",
    "signs": "case lost, spaces lost, line breaks lost, angle brackets lost, text escaped, digits lost, "
    "other scripts lost, signs lost",
    "system": "system prompt added, text added, template doubled, template left out",
    "system message": "system message dropped",
    "video": "video dropped, video as one frame, blank frames, unreadable frames, frames shrunk, "
    "frames of another question, frames joined",
    "video length": "frames dropped, few frames, part of a video, frames unevenly spread",
    "video order": "frames reversed, frames repeated, frames in another order",
    "times": "no times, wrong times",
    "asked": "request failed, empty replies, some replies empty",
    "replies": "question never asked, reply of another question, reply of an earlier question with its text, "
    "one reply for all, reply cut, echo of the question, reply changed",
    "max_new_tokens": "max_new_tokens ignored",
    "greedy": "sampling",
    "stop": "stop words added",
    "batch": "batch fails, batch leaks, another reply in a batch",
    "twice": "another reply",
}
FAULTS: dict[str, str] = {name: line for line, names in _OF_LINES.items() for name in names.split(", ")}
"""By a fault's name: the line that it breaks."""

_OF_ERRORS = {
    "'Probe' object": "it answers from a task's documents, which a check has not: check tempbench_reader",
    "Found no NVIDIA driver|No CUDA GPUs are available|not compiled with CUDA": "no GPU was found: add "
    "device=cpu,device_map=cpu to --model-args",
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
    return next((hint for words, hint in _OF_ERRORS.items() if re.search(words, error)), "")


def hint_of(name: str, arrived: str = "") -> str:
    """Returns what to change in a wrapper where a fault was found."""
    return of_error(arrived) or _HINTS.get(name) or _HINTS[FAULTS[name]]


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
        return self.own or FAULTS[self.name]


class Seen(NamedTuple):
    """A line that was looked at."""

    line: str
    note: str = ""


class Hidden(NamedTuple):
    """A line that one question cannot show."""

    line: str
    why: str


Finding = Fault | Seen | Hidden
