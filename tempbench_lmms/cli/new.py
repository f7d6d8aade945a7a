"""`tempbench new`: creates the folders of your own benchmark."""

import contextlib
import importlib.util
import keyword
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

import tempbench_lmms
from tempbench_lmms import benchmarks
from tempbench_lmms.data import roots
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import TempbenchError

FILES = Path(__file__).parent / "new_files"
_END = ".jinja"
_FOLDERS = ("tempbench_lmms", "task_yamls", "hf_datasets", "tests")
# The files of a benchmark outside a checkout, by their place in one. Its tests need a checkout.
_OWN = {
    "tempbench_lmms/NAME/": "NAME/",
    "task_yamls/NAME/": "NAME/task_yamls/",
    "hf_datasets/NAME/commands.py": "NAME/commands.py",
    "hf_datasets/NAME/prepare.py": "NAME/prepare.py",
    "hf_datasets/NAME/rows.py": "NAME/rows.py",
}


class Answer(str, Enum):
    """The kinds of answer."""

    OPTION = "option"
    YES_NO = "yes-no"
    NUMBER = "number"
    ORDER = "order"


class Media(str, Enum):
    """The kinds of media."""

    PICTURES = "pictures"
    VIDEO = "video"
    NONE = "none"


_GIVEN = {"option": 'doc["options"], ', "order": 'doc["options"], '}

# By kind of answer: its name, the prompt's request, what the reader expects, what to write, an example.
_ANSWERS: dict[str, dict[str, str]] = {
    "option": {
        "words": "one of its options",
        "ask": "Answer with the letter of the right option.",
        "expected": "Choice",
        "answer_hint": "write the letter or the text of one of the options",
        "an_answer": "B",
    },
    "yes-no": {
        "words": "yes or no",
        "ask": "Answer with yes or no.",
        "expected": "Truth",
        "answer_hint": "write yes or no",
        "an_answer": "yes",
    },
    "number": {
        "words": "a whole number from 1 to 99",
        "ask": "Answer with the number alone.",
        "expected": "Item",
        "answer_hint": "write a whole number from 1 to 99",
        "an_answer": "3",
    },
    "order": {
        "words": "the numbers of its options in their right order",
        "ask": "Answer with all the numbers in their right order, separated by commas.",
        "expected": "Order",
        "answer_hint": "write the numbers of all options in their right order, for example 2, 1, 3",
        "an_answer": "2, 1, 3",
    },
}


def new(
    name: Annotated[str, typer.Argument(help="Its name, of lower-case letters, digits and _.")],
    rows: Annotated[Path, typer.Option(help="Your table of questions; the first rows become the sample.")],
    answer: Annotated[Answer, typer.Option(prompt="What is answered", help="The kinds of answer.")],
    media: Annotated[Media, typer.Option(prompt="What is shown", help="The kinds of media.")],
    groups: Annotated[
        bool,
        typer.Option(
            "--groups/--no-groups",
            prompt="Do some questions count only as a group",
            help="Whether some questions count only as a group.",
        ),
    ],
    title: Annotated[str | None, typer.Option(help="Title of the benchmark; by default its name.")] = None,
    into: Annotated[
        Path,
        typer.Option(help="A checkout of tempbench-lmms, or any folder for your own benchmarks."),
    ] = Path("."),
) -> None:
    """Create your own benchmark from a table of questions; in a checkout also its tests."""
    is_own = not all((into / folder).is_dir() for folder in _FOLDERS)
    _check(name, into, is_own)
    texts = texts_of(name, answer.value, media.value, groups, _count(rows), title or name, is_own)
    if there := [path for path in texts if (into / path).exists()]:
        raise TempbenchError(f"{into / there[0]} already exists; choose another name")
    if (data := roots.data_home(name) / name).exists():
        raise TempbenchError(f"{data} already exists; choose another name, or remove it")
    is_known = str(into.resolve()) in benchmarks.own_folders()
    with _all_or_nothing(into, texts, _folders(name, is_own)):
        _write(into, texts)
        if is_own:
            tempbench_lmms.__path__.append(
                str(into.resolve())
            )  # as the environment variable will from now on
        importlib.invalidate_caches()
        from tempbench_lmms.cli import datasets

        kind = datasets.module(name, "prepare").kind()
        datasets.own_table().write_sample(kind, rows.resolve(), roots.mini_root(name))
        datasets.commands(name)["prepare"](source=rows.resolve())
    print(f"{name}: its files in {into.resolve()}, and the sample {roots.mini_root(name)}")
    if is_own and not is_known:
        print(f"first: export {benchmarks.VARIABLE}={shlex.quote(str(into.resolve()))}")
    print(f"try it: tempbench run --model tempbench_oracle --tasks {name} --output logs")
    page = into / name / "README.md" if is_own else "docs/adding_a_benchmark.md"
    print(f"what is left to decide: {page}")


def _write(into: Path, texts: Mapping[Path, str]) -> None:
    for path, text in texts.items():
        (into / path).parent.mkdir(parents=True, exist_ok=True)
        with (into / path).open("x", encoding="utf-8") as file:
            file.write(text)
    code = [str(path) for path in texts if path.suffix == ".py"]
    if importlib.util.find_spec("ruff"):
        # The name changes the order of imports and the length of some lines.
        for words in (["check", "--select", "I", "--fix"], ["format"]):
            command = [sys.executable, "-m", "ruff", *words, "--quiet", "--no-cache", *code]
            subprocess.run(command, cwd=into, check=True)


@contextlib.contextmanager
def _all_or_nothing(into: Path, texts: Mapping[Path, str], folders: Sequence[Path]) -> Iterator[None]:
    """Removes the benchmark's files and folders after an error, so that you can try again."""
    try:
        yield
    except BaseException:
        for path in texts:
            (into / path).unlink(missing_ok=True)
        for folder in folders:
            shutil.rmtree(into / folder, ignore_errors=True)
        raise


def _folders(name: str, is_own: bool) -> list[Path]:
    """Returns the folders that belong only to this benchmark."""
    if is_own:
        return [Path(name)]
    return [Path(folder) / name for folder in (*_FOLDERS, "hf_datasets/mini")]


def _check(name: str, into: Path, is_own: bool) -> None:
    from tempbench_lmms.harness import task_names
    from tempbench_lmms.harness.derived import base_of

    if not benchmarks.is_name(name):
        raise TempbenchError(
            f"{one_line(name)!r} is not a usable name: use lower-case letters, digits and single _"
        )
    if keyword.iskeyword(name) or name.split("_")[-1] == "mini":
        raise TempbenchError(
            f"{name!r} is not a usable name: Python or a bundled sample has it; choose another"
        )
    if made := base_of(name):
        raise TempbenchError(
            f"{name!r} is not a usable name: it would be a task made from {made}; choose another"
        )
    for path in _folders(name, is_own):
        if (into / path).exists():
            raise TempbenchError(f"{into / path} already exists; choose another name")
    if not is_own and (into / "tempbench_lmms").resolve() != Path(benchmarks.__file__).resolve().parent:
        raise TempbenchError(
            f"this command does not belong to {into.resolve()}; run `pip install -e .[test]` there"
        )
    # Outside a checkout, the benchmark's folder would hide a module of the same name.
    taken = importlib.util.find_spec(f"tempbench_lmms.{name}") or (is_own and importlib.util.find_spec(name))
    if taken or name in task_names.all_names():
        raise TempbenchError(f"a module or a task of the harness is named {name}; choose another name")


def _count(rows: Path) -> int:
    """Returns the number of questions in a table."""
    if rows.suffix.lower() == ".parquet":
        from tempbench_lmms.data.tables import read_rows

        count = len(read_rows(rows))
    else:
        from tempbench_lmms.data.user_tables import read_table

        count = sum(1 for _ in read_table(rows, "question"))
    if count < 5:
        raise TempbenchError(f"{rows} has {count} questions; write at least 5")
    return count


def texts_of(
    name: str, answer: str, media: str, groups: bool, n_questions: int, title: str, is_own: bool = False
) -> dict[Path, str]:
    """Returns the text of every file of a benchmark, by its path in a checkout or another folder."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(FILES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # Python and Markdown, not HTML
    )
    values = _values(answer, media, groups)
    values |= {"name": name, "is_own": is_own, "n_questions": n_questions}
    values["title"] = re.sub(r'["\\{}\n]', " ", title).strip() or name
    out = {}
    for path in sorted(FILES.rglob(f"*{_END}")):
        place = path.relative_to(FILES).as_posix()
        written = place.removesuffix(_END)
        if is_own:
            kept = (
                own + written.removeprefix(head) for head, own in _OWN.items() if written.startswith(head)
            )
            written = next(kept, "")
        if written:
            text = environment.get_template(place).render(values)
            out[Path(written.replace("NAME", name))] = re.sub(r"\n{4,}", "\n\n\n", text)
    return out


def _values(answer: str, media: str, groups: bool) -> dict[str, Any]:
    """Returns the values for the templates, from the answers to the three questions."""
    return {
        "answer": answer,
        "media": media,
        "groups": groups,
        "has_options": answer in ("option", "order"),
        "main_metric": "group_accuracy" if groups else "accuracy",
        "media_column": {"pictures": '"images",', "video": '"video",', "none": ""}[media],
        "source_imports": {"pictures": "picture, write", "video": "clips, write", "none": "write"}[media],
        "given": _GIVEN.get(answer, ""),
        "asked_keys": "its columns but `target` and `choices`",
        **_ANSWERS[answer],
    }
