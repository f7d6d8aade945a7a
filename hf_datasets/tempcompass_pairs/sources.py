"""Finds TempCompass on a disk: the official repository, or the Hub's data set that the harness's task uses.

REPOSITORY/questions/KIND.json, meta_info.json    by clip and aspect; finer aspects
DOWNLOAD/KIND/*.parquet                           a row a question: video_id, dim, question, answer
tempcompass_videos.zip, videos/                   the clips, with either
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tempbench_lmms.data import hub, releases, roots, tables
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.tempcompass_pairs import rows
from tempbench_lmms.tempcompass_pairs.card import ASPECTS, FILES

REPO = "lmms-lab/TempCompass"
ADVICE = (
    "clone https://github.com/llyx97/TempCompass, or download the data set lmms-lab/TempCompass of the Hub, "
    "which has the videos too"
)
META = "meta_info.json"
_CACHE = "tempcompass"
"""The folder in the harness's cache into which it unpacks the videos."""


@dataclass(frozen=True)
class Release:
    """What a folder holds."""

    folder: Path
    files: Mapping[str, tuple[Path, ...]]
    meta: Path | None = None

    @property
    def every(self) -> list[Path]:
        """Every file that the rows are made of."""
        return [*(file for own in self.files.values() for file in own), *([self.meta] if self.meta else [])]


def find(source: Path) -> Release:
    """Returns the questions of a folder."""
    if not source.is_dir():
        raise TempbenchError(f"{source} is not a folder; {ADVICE}")
    found = releases.find(source, _here, "TempCompass's questions")
    if found is None:
        raise TempbenchError(
            f"{source} has no questions of TempCompass ({', '.join(FILES.values())}); {ADVICE}"
        )
    if missing := [kind for kind in FILES if kind not in found.files]:
        raise TempbenchError(f"{found.folder} has no questions of {missing[0]}; get all of it: {ADVICE}")
    return found


def _here(folder: Path) -> Release | None:
    """Returns the questions right in a folder, or in its folder `questions`: official files before tables."""
    for one in (folder, folder / "questions"):
        listed = {kind: file for kind, name in FILES.items() if (file := releases.file(one, name))}
        stored = {
            kind: own
            for kind, name in FILES.items()
            if (own := tuple(releases.of_suffix((one / Path(name).stem).glob("*"), ".parquet")))
        }
        if listed or stored:
            meta = next((file for place in (one, one.parent) if (file := releases.file(place, META))), None)
            return Release(one, {kind: (file,) for kind, file in listed.items()} or stored, meta)
    return None


def rows_of(release: Release) -> list[tables.Row]:
    """Returns the rows of all questions, without their groups."""
    details = _details(release.meta) if release.meta else {}
    out = []
    for kind, files in release.files.items():
        if files[0].suffix.lower() == ".parquet":
            found = _of_tables(files, kind)
        else:
            found = rows.read_questions(files[0], kind, "question", "answer")
        for key, one in found.items():
            # The official code takes "order" for its own finer aspect, whatever its file says.
            own = "order" if details and one["aspect"] == "order" else ""
            detail = details.get((one["clip"], one["aspect"]), own)
            out.append(rows.row(key, one, detail))
    return out


def _of_tables(files: tuple[Path, ...], kind: str) -> rows.Entries:
    content: dict[str, dict[str, list[dict[str, str]]]] = {}
    for file in files:
        for number, one in enumerate(tables.read_rows(file), start=1):
            names = ("video_id", "dim", "question", "answer")
            if lacking := [name for name in names if not isinstance(one.get(name), str)]:
                raise TempbenchError(f"{file}: row {number} has no {lacking[0]} that is a text; get it again")
            entries = content.setdefault(one["video_id"], {}).setdefault(one["dim"], [])
            entries.append({"question": one["question"], "answer": one["answer"]})
    return dict(rows.questions_of(kind, content))


def _details(meta: Path) -> dict[tuple[str, str], str]:
    try:
        content = tables.read_json(meta)
        return {
            (clip, aspect): str(said.get("type") or aspect)
            for clip, one in content.items()
            for aspect, said in one["eval_dim"].items()
            if said and aspect in ASPECTS
        }
    except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
        raise TempbenchError(
            f"{meta} is not the official file ({tables.first_line(error)}); get it again"
        ) from None


def harness_source() -> Path:
    """Returns the Hub cache's folder of the data set that the harness's task `tempcompass` loads."""
    return hub.cached("TempCompass", "tempcompass", REPO, "lmms-eval/TempCompass")


def video_places(release: Release, videos: Path | None) -> list[Path]:
    """Returns where to look for the clips: what the user names, else what lies beside the questions."""
    if videos is not None:
        return [videos]
    folder = release.folder.parent if release.folder.name == "questions" else release.folder
    return [folder, *(place for place in (roots.cache_home() / _CACHE,) if place.is_dir())]
