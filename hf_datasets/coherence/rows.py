"""Rows of the two tables, from a question or a video."""

from collections.abc import Sequence

from tempbench_lmms.coherence.card import BUDGETS
from tempbench_lmms.coherence.parser import letters_of
from tempbench_lmms.coherence.prompts import CAPTION, CAPTION_FRAMES
from tempbench_lmms.data.tables import Row


def question_row(
    question_id: str,
    kind: str,
    scene: str,
    video: str,
    question: str,
    options: Sequence[str],
    answer: int,
    variation: Sequence[str] = (),
) -> Row:
    """Returns the row of a video question without a reference; `answer` is the index of the right option."""
    letters = letters_of(options)
    return {
        "question_id": question_id,
        "type": kind,
        "scene": scene,
        "video": video,
        "question": question,
        "options": list(options),
        "answer": letters[answer],
        "target": letters[answer],
        "choices": list(letters),
        "variation": list(variation),
        "reference": None,
        "reference_source": None,
        "n_frames": BUDGETS[-1],
        "order": "ordered",
    }


def caption_rows(
    video_id: str, video: str, references: Sequence[str] = (), events: Sequence[str] = ()
) -> list[Row]:
    """Returns the two rows of a video to caption: from its frames, and from the middle one."""
    return [
        {
            "question_id": f"{video_id}/{view}",
            "view": view,
            "video": video,
            "n_frames": CAPTION_FRAMES,
            "target": references[0] if references else "",
            "choices": list(dict.fromkeys(references)) or ["A video."],
            "events": list(events),
            "references": list(references),
        }
        for view in CAPTION
    ]
