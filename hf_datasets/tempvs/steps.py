"""The steps that make TempVS, in the order of the paper's Table 9; `build.py` runs them.

A step takes the items that the one before has left: stories, and from the step `questions` on the rows of the
data set's tables.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from tempbench_lmms.data import roots, tables
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.tempvs import prompts
from tempbench_lmms.tempvs.card import CARD, MAIN_TESTS, SOURCES

from . import characters, filters, language, questions, rows, sources, wording
from .encoders import BertScore, Clip, PersonDetector, Store, fingerprint
from .sources import Story

BENCHMARK = CARD.name
EDITION = "made by `tempbench build tempvs`"
_PERSON_SCORE, _PERSON_SHARE, _PERSON_SOURCES = 0.9, 0.6, ("vist",)
"""From which score on it is a person, in what share of the images, and of which sources."""
_BLIND_TOKENS = 64
"""Most new tokens of a text model's reply."""

Item = dict[str, Any]
Dropped = Counter[tuple[str, str]]
"""How many items of a source were left out, and why: {(source, reason): count}."""


@dataclass(frozen=True)
class Settings:
    """Everything that a step may depend on; the parameters of `build` explain each."""

    work: Path
    output: Path
    roots: Mapping[str, Path]
    limits: Mapping[str, filters.Thresholds]
    clip: str
    detector: str
    bert: str
    bert_layers: int | None
    endpoint: language.Endpoint
    blind_models: Sequence[str]
    excluded: Sequence[str]
    skip: Sequence[str]
    device: str
    batch: int

    def vectors(self, kind: str, model: str) -> Any:
        """Opens the store of one kind of vector of one model."""
        return Store(self.work / "vectors" / f"{kind}-{fingerprint(model)}")

    def image_key(self, story: Story, image: str) -> str:
        """Names an image by its file, so that another file of this name is encoded anew."""
        path = sources.image_path(self.roots[story.source], image)
        try:
            stat = path.stat()
        except OSError as error:
            raise TempbenchError(
                f"{path} is gone ({error.strerror}); remove the file steps/stories.json and run again"
            ) from None
        return json.dumps([story.source, image, stat.st_size, stat.st_mtime_ns])

    def load(self, key: str) -> Any:
        """Loads the image of an `image_key`."""
        source, image, *_ = json.loads(key)
        return sources.load_image(self.roots[source], image)


@dataclass(frozen=True)
class Step:
    """One step of the pipeline."""

    name: str  # for --step and --skip
    title: str  # its row in the table; the paper's wording where Table 9 has it
    # takes the items of the step before and returns those that stay, with what was left out
    run: Callable[[list[Item], Settings], tuple[list[Item], Dropped]]
    # what it depends on beside its input; of JSON values
    depends: Callable[[Settings], Any] = field(default=lambda settings: None)
    skippable: bool = True  # whether it only leaves things out
    # whether what it wrote elsewhere is still there
    intact: Callable[[Settings], bool] = field(default=lambda settings: True)


def _filter(
    rule: Callable[[list[Story], Settings], Iterable[Story | str]], items: list[Item], settings: Settings
) -> tuple[list[Item], Dropped]:
    """Applies a rule that returns for each story the story, perhaps with more in it, or why it goes."""
    stories = [Story(**item) for item in items]
    kept: list[Item] = []
    dropped: Dropped = Counter()
    for story, verdict in zip(stories, rule(stories, settings), strict=True):
        if isinstance(verdict, str):
            dropped[story.source, verdict] += 1
        else:
            kept.append(asdict(verdict))
    return kept, dropped


def _stories(_: list[Item], settings: Settings) -> tuple[list[Item], Dropped]:
    items: list[Item] = []
    dropped: Dropped = Counter()
    for source, root in settings.roots.items():
        seen: set[str] = set()
        for story in sources.read(source, root):
            if isinstance(story, str):
                dropped[source, story] += 1
            elif story.story_id in seen:
                dropped[source, "repeated id"] += 1
            else:
                seen.add(story.story_id)
                items.append(asdict(story))
    if not items:
        raise TempbenchError(
            f"no story has all of its images in {', '.join(map(str, settings.roots.values()))}"
        )
    return items, dropped


def _by_caption(
    bad: Callable[[str], bool], reason: str, stories: list[Story], _: Settings
) -> list[Story | str]:
    return [reason if any(map(bad, story.captions)) else story for story in stories]


def _pairs(story: Story) -> list[tuple[str, str]]:
    return [(a, b) for i, a in enumerate(story.captions) for b in story.captions[i + 1 :]]


def _captions(stories: list[Story], settings: Settings) -> list[Story | str]:
    store = settings.vectors(f"bertscore-{settings.bert_layers}", settings.bert)
    missing = store.missing(json.dumps(pair) for story in stories for pair in _pairs(story))
    if missing:
        scorer = BertScore(settings.bert, settings.bert_layers, settings.device, settings.batch)
        store.add(missing, scorer.scores([tuple(json.loads(key)) for key in missing]), "comparing captions")

    def similar(story: Story) -> bool:
        scores = store.matrix([json.dumps(pair) for pair in _pairs(story)]).tolist()
        return any(filters.similar_captions(p, r, f1, settings.limits[story.source]) for p, r, f1 in scores)

    return ["similar captions" if similar(story) else story for story in stories]


def _persons(stories: list[Story], settings: Settings) -> Iterable[Story | str]:
    store = settings.vectors("persons", settings.detector)
    keys = {
        (story.source, story.story_id): [settings.image_key(story, image) for image in story.images]
        for story in stories
        if story.source in _PERSON_SOURCES
    }
    missing = store.missing(key for several in keys.values() for key in several)
    if missing:
        detector = PersonDetector(settings.detector, settings.device, settings.batch)
        store.add(missing, detector.scores(missing, settings.load), "looking for persons")
    for story in stories:
        images = keys.get((story.source, story.story_id))
        if images is None:
            yield story
            continue
        scores = [float(score) for score in store.matrix(images)[:, 0]]
        # An image that cannot be read has no person in it: NaN is never enough.
        enough = filters.enough_persons(scores, _PERSON_SCORE, _PERSON_SHARE)
        yield story if enough else "too few persons"


def _image_embeddings(stories: list[Story], settings: Settings) -> list[Any]:
    store = settings.vectors("images", settings.clip)
    keys = [[settings.image_key(story, image) for image in story.images] for story in stories]
    missing = store.missing(key for several in keys for key in several)
    if missing:
        clip = Clip(settings.clip, settings.device, settings.batch)
        store.add(missing, clip.images(missing, settings.load), "encoding images")
    return [store.matrix(several) for several in keys]


def _images(stories: list[Story], settings: Settings) -> Iterable[Story | str]:
    import numpy as np

    for story, embeddings in zip(stories, _image_embeddings(stories, settings), strict=True):
        if np.isnan(embeddings).any():
            yield "unreadable image"
        elif filters.similar_images(embeddings, settings.limits[story.source].image):
            yield "similar images"
        else:
            yield story


def _ambiguity(stories: list[Story], settings: Settings) -> Iterable[Story | str]:
    store = settings.vectors("texts", settings.clip)
    texts = [list(story.captions) for story in stories]
    missing = store.missing(text for several in texts for text in several)
    if missing:
        clip = Clip(settings.clip, settings.device, settings.batch)
        store.add(missing, clip.texts(missing), "encoding texts")
    images = _image_embeddings(stories, settings)
    for story, several, embeddings in zip(stories, texts, images, strict=True):
        pairs, triples = filters.unambiguous_groups(embeddings @ store.matrix(several).T)
        yield replace(story, pairs=pairs, triples=triples) if pairs else "ambiguous"


def _sequences(stories: list[Story], _: Settings) -> Iterable[Story | str]:
    kept = {(story.source, story.story_id) for story in filters.one_of_each_sequence(stories)}
    for story in stories:
        yield story if (story.source, story.story_id) in kept else "sequence of another story"


def _events(stories: list[Story], settings: Settings) -> Iterable[Story | str]:
    found = language.events(
        [caption for story in stories for caption in story.captions],
        settings.endpoint,
        settings.work / "replies" / "events.jsonl",
    )
    for story in stories:
        events = [event for caption in story.captions if (event := found[caption])]
        yield replace(story, events=events) if len(events) == len(story.captions) else "NO_EVENT"


def _manual(stories: list[Story], settings: Settings) -> Iterable[Story | str]:
    for story in stories:
        yield "excluded by hand" if f"{story.source}/{story.story_id}" in settings.excluded else story


def _questions(items: list[Item], settings: Settings) -> tuple[list[Item], Dropped]:
    stories = [Story(**item) for item in items]
    is_name = filters.name_test(
        text for story in stories for texts in (story.captions, story.events) for text in texts
    )
    made: list[Item] = []
    # Running numbers begin anew with each source, and go through its stories in the order of their
    # sequences, as in the official scripts, whose grouping sorts.
    for source in SOURCES:
        of_source = sorted(
            (story for story in stories if story.source == source), key=lambda story: story.group
        )
        repeated = Counter(story.sequence_id for story in of_source)
        named = {
            story.story_id if repeated[story.sequence_id] > 1 else story.sequence_id: story
            for story in of_source
        }
        asked = [_image_sequence(name, story) for name, story in named.items()]
        for table, several in rows.build(asked, is_name).items():
            made += [{"table": table, "row": _finished(row, named[row["sequence_id"]])} for row in several]
    return made, Counter()


def _image_sequence(name: str, story: Story) -> rows.ImageSequence:
    return rows.ImageSequence(
        source=story.source,
        sequence_id=name,
        images=[f"{roots.SCHEME}{BENCHMARK}/{_media(story.source, image)}" for image in story.images],
        events=story.events,
        captions=story.captions,
        characters=characters.described(story.source, story.captions),
        pairs=[(i, j) for i, j in story.pairs],
        triples=[(i, j, k) for i, j, k in story.triples],
    )


def _media(source: str, image: str) -> str:
    # Of a file with many frames, one is written; PNG loses nothing.
    return f"media/{source}/{image.removesuffix('.npy') + '.png' if image.endswith('.npy') else image}"


def _finished(row: tables.Row, story: Story) -> tables.Row:
    """Adds the fields that depend on the events: the described characters, and whether there is a non-event.

    As in the official generator, an ordering question describes the characters in its captions, a statement
    those in its events, and a grounding question all those in the story's events.
    """
    kind = prompts.kind_of(row["tests"][0])
    asked = [story.events[position] for position in row["events"]]
    if kind in ("mt1", "gt"):
        named = asked if kind == "mt1" else story.events
        row = row | {"character_info": characters.described(story.source, named)}
    return row | {"invalid": any(questions.INVALID_EVENT.search(event) for event in asked)}


def _blind(items: list[Item], settings: Settings) -> tuple[list[Item], Dropped]:
    mains = {
        item["row"]["question_id"]: item["row"]
        for item in items
        if item["row"]["role"] == "main" and prompts.kind_of(item["row"]["tests"][0]) in wording.BLIND
    }
    load = partial(language.text_model, device=settings.device, batch=settings.batch, tokens=_BLIND_TOKENS)
    right = language.answered_blind(
        list(mains.values()), settings.blind_models, settings.work / "replies" / "blind", load
    )
    easy = {question for question, count in zip(mains, right, strict=True) if count >= 2}
    dropped: Dropped = Counter(
        (mains[question]["source"], f"{mains[question]['tests'][0]} answered without images")
        for question in easy
    )
    return [item for item in items if item["row"]["question_id"] not in easy], dropped


def _release(items: list[Item], settings: Settings) -> tuple[list[Item], Dropped]:
    # Not at the top: the `tempbench` command imports this module, and pyarrow takes its time.
    from tempbench_lmms.tempvs.rows import SCHEMA

    found: dict[str, list[tables.Row]] = {name: [] for name in ("all", *MAIN_TESTS)}
    for item in items:
        found[item["table"]].append(item["row"])
    output = settings.output
    manifest = output / roots.MANIFEST
    if output.is_dir() and any(output.iterdir()):
        try:
            ours = json.loads(manifest.read_text(encoding="utf-8")).get("edition") == EDITION
        except (OSError, ValueError, AttributeError):
            ours = False
        if not ours:
            raise TempbenchError(f"{output} holds other files; name an empty folder with --output")
        manifest.unlink()
    _write_media(found["all"], settings)
    for name, several in found.items():
        tables.write_rows(several, output / name / "test.parquet", SCHEMA)
    files = sorted(path for path in output.rglob("*") if path.is_file())
    counts = {name: len(several) for name, several in found.items()}
    tables.write_json(
        {
            "benchmark": BENCHMARK,
            "edition": EDITION,
            "licence": "questions: MIT; images and captions: those of their sources",
            "rows": counts,
            "sha256": tables.sha256_of(files),
        },
        manifest,
    )
    return [], Counter()


def _write_media(several: Iterable[tables.Row], settings: Settings) -> None:
    """Writes each image that is asked about, once, and removes those of an earlier run."""
    prefix = f"{roots.SCHEME}{BENCHMARK}/"
    written: set[Path] = set()
    for url in dict.fromkeys(url for row in several for url in row["images"]):
        _, source, image = url.removeprefix(prefix).split("/", 2)
        target = settings.output / url.removeprefix(prefix)
        target.parent.mkdir(parents=True, exist_ok=True)
        root = settings.roots[source]
        path = sources.image_path(root, image)
        written.add(target)
        if path.is_file():
            target.write_bytes(path.read_bytes())
        else:  # one of the frames of a clip
            sources.load_image(root, f"{image.removesuffix('.png')}.npy").save(target)
    for file in (settings.output / "media").rglob("*"):
        if file.is_file() and file not in written:
            file.unlink()


def _model(name: str) -> list[str]:
    """Returns a model for a step's settings; a folder with other weights counts as another model."""
    return [name, fingerprint(name)]


def steps() -> list[Step]:
    """Returns the steps in the order of Table 9."""
    return [*_story_steps(), *_question_steps()]


def _limits(name: str) -> Callable[[Settings], Any]:
    return lambda s: {source: asdict(values)[name] for source, values in s.limits.items()}


def _by(rule: Callable[[list[Story], Settings], Iterable[Story | str]]) -> Any:
    return partial(_filter, rule)


def _story_steps() -> list[Step]:
    return [
        Step(
            "stories",
            "Original image sequences",
            _stories,
            lambda s: {source: str(root) for source, root in s.roots.items()},
            skippable=False,
        ),
        Step("stative", "No stative verbs", _by(partial(_by_caption, filters.stative_verb, "stative verb"))),
        Step(
            "pronouns",
            "No starting pronoun",
            _by(partial(_by_caption, filters.starts_with_pronoun, "starting pronoun")),
        ),
        Step(
            "captions",
            "No similar text",
            _by(_captions),
            lambda s: [
                _model(s.bert),
                s.bert_layers,
                *(_limits(n)(s) for n in ("precision", "recall", "f1", "joint")),
            ],
        ),
        Step(
            "persons",
            "Enough persons",
            _by(_persons),
            lambda s: [_model(s.detector), _PERSON_SCORE, _PERSON_SHARE, [*_PERSON_SOURCES]],
        ),
        Step("images", "No similar image", _by(_images), lambda s: [_model(s.clip), _limits("image")(s)]),
        Step(
            "ambiguity",
            "No ambiguous image-text",
            _by(_ambiguity),
            lambda s: [_model(s.clip), "captions"],
            skippable=False,
        ),
        Step("sequences", "No repetitive image sequences", _by(_sequences)),
        Step("events", "Without NO_EVENT", _by(_events), lambda s: s.endpoint.model, skippable=False),
        Step("manual", "After the manual check", _by(_manual), lambda s: sorted(s.excluded)),
    ]


def _question_steps() -> list[Step]:
    return [
        Step("questions", "Questions", _questions, lambda s: characters.LOOKS, skippable=False),
        Step("blind", "Not answered blind", _blind, lambda s: [*map(_model, s.blind_models), _BLIND_TOKENS]),
        Step(
            "release",
            "Release",
            _release,
            lambda s: str(s.output),
            skippable=False,
            intact=lambda s: (s.output / roots.MANIFEST).is_file(),
        ),
    ]
