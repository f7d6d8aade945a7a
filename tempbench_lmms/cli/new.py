"""`tempbench new`: creates the folders of your own benchmark."""

import importlib.util
import keyword
import re
import shlex
import shutil
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

import tempbench_lmms
from tempbench_lmms import benchmarks
from tempbench_lmms.cli import datasets
from tempbench_lmms.data import roots, tables, terminal, user_files
from tempbench_lmms.errors import TempbenchError

FILES = Path(__file__).parent / "new_files"
_END = ".jinja"


Answer = Enum(
    "Answer", {"OPTION": "option", "YES_NO": "yes-no", "NUMBER": "number", "ORDER": "order"}, type=str
)
Media = Enum("Media", {"PICTURES": "pictures", "VIDEO": "video", "NONE": "none"}, type=str)
# By kind of answer: its name, the prompt's request, what the reader expects, what to write.
_ANSWERS: dict[str, dict[str, str]] = {
    "option": {
        "words": "one of its options",
        "ask": "Answer with the letter of the right option.",
        "expected": "Choice",
        "answer_hint": "write the letter or the text of one of the options",
    },
    "yes-no": {
        "words": "yes or no",
        "ask": "Answer with yes or no.",
        "expected": "Truth",
        "answer_hint": "write yes or no",
    },
    "number": {
        "words": "a whole number from 1 to 99",
        "ask": "Answer with the number alone.",
        "expected": "Item",
        "answer_hint": "write a whole number from 1 to 99",
    },
    "order": {
        "words": "the numbers of its options in their right order",
        "ask": "Answer with all the numbers in their right order, separated by commas.",
        "expected": "Order",
        "answer_hint": "write the numbers of all options in their right order, for example 2, 1, 3",
    },
}


def new(
    name: Annotated[str, typer.Argument(help="Name of the benchmark: lower-case letters, digits and _.")],
    rows: Annotated[Path, typer.Option(help="Your table of questions; the first rows become the sample.")],
    answer: Annotated[Answer, typer.Option(prompt="What is answered", help="Kind of answer.")],
    media: Annotated[Media, typer.Option(prompt="What is shown", help="Kind of media.")],
    groups: Annotated[
        bool,
        typer.Option(
            "--groups/--no-groups",
            prompt="Do some questions count only as a group",
            help="Whether some questions count only as a group.",
        ),
    ],
    title: Annotated[str | None, typer.Option(help="Title of the benchmark; by default its name.")] = None,
    into: Annotated[Path, typer.Option(help="The folder for your own benchmarks.")] = Path("."),
) -> None:
    """Create your own benchmark from a table of questions."""
    _check(name, into)
    is_parquet = rows.suffix.lower() == ".parquet"
    n = len(tables.read_rows(rows) if is_parquet else [*user_files.read_table(rows, "question")])
    if n < 5:
        raise TempbenchError(f"{rows} has {n} questions; write at least 5")
    texts = texts_of(name, answer.value, media.value, groups, n, title or name)
    is_known = str(into.resolve()) in tempbench_lmms.__path__[1:]
    try:
        for path, text in texts.items():
            (into / path).parent.mkdir(parents=True, exist_ok=True)
            (into / path).write_text(text, encoding="utf-8")
        tempbench_lmms.__path__.append(str(into.resolve()))  # as the environment variable will from now on
        importlib.invalidate_caches()
        datasets.shared("own_table").write_sample(
            datasets.module(name, "prepare").kind(), rows.resolve(), roots.mini_root(name)
        )
        datasets.commands(name)["prepare"](source=rows.resolve())
    except BaseException:  # nothing is left, so that you can try again
        shutil.rmtree(into / name, ignore_errors=True)
        raise
    print(f"{name}: its files in {into.resolve()}, and the sample {roots.mini_root(name)}")
    if not is_known:
        print(f"first: export {benchmarks.VARIABLE}={shlex.quote(str(into.resolve()))}")
    print(f"try it: tempbench run --model tempbench_oracle --tasks {name} --output logs")
    print(f"what is left to decide: {into / name / 'README.md'}")


def _check(name: str, into: Path) -> None:
    from tempbench_lmms.harness import catalog
    from tempbench_lmms.harness.variants import base_of

    is_taken = keyword.iskeyword(name) or name.split("_")[-1] == "mini" or base_of(name)
    if not benchmarks.is_name(name) or is_taken:
        raise TempbenchError(
            f"{terminal.one_line(name)!r} is not a usable name: use lower-case letters, digits and single _, "
            "and no word of Python, nor an ending of a made task such as _mini"
        )
    for path in (into / name, roots.data_home(name) / name):
        if path.exists():
            raise TempbenchError(f"{path} already exists; choose another name, or remove it")
    # The benchmark's folder would hide a module of the same name.
    taken = importlib.util.find_spec(f"tempbench_lmms.{name}") or importlib.util.find_spec(name)
    if taken or name in catalog.all_names():
        raise TempbenchError(f"a module or a task of the harness is named {name}; choose another name")


def texts_of(
    name: str, answer: str, media: str, groups: bool, n_questions: int, title: str
) -> dict[Path, str]:
    """Returns the text of every file of a benchmark, by its path in a folder of benchmarks."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(FILES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # Python and Markdown, not HTML
    )
    values = {
        "name": name,
        "title": re.sub(r'["\\{}\n]', " ", title).strip() or name,
        "n_questions": n_questions,
        "answer": answer,
        "media": media,
        "groups": groups,
        "has_options": answer in ("option", "order"),
        "main_metric": "group_accuracy" if groups else "accuracy",
        "media_column": {"pictures": '"images",', "video": '"video",', "none": ""}[media],
        "given": 'doc["options"], ' if answer in ("option", "order") else "",
        **_ANSWERS[answer],
    }
    out = {}
    for path in sorted(FILES.rglob(f"*{_END}")):
        place = path.relative_to(FILES).as_posix()
        out[Path(name, place.removesuffix(_END))] = re.sub(
            r"\n{4,}", "\n\n\n", environment.get_template(place).render(values)
        )
    return out
