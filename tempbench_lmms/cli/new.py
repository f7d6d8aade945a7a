"""`tempbench new`: the folders of a benchmark of one's own."""

import keyword
import re
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from tempbench_lmms import benchmarks
from tempbench_lmms.data.checks import one_line
from tempbench_lmms.errors import TempbenchError

FILES = Path(__file__).parent / "new_files"
_END = ".jinja"
_FOLDERS = ("tempbench_lmms", "task_yamls", "hf_datasets", "tests")
_MEDIA = ("pictures", "video", "none")

# By kind of answer: in words, what the prompt asks for, twice more in other words, what the reader expects,
# what to write, an example.
_ANSWERS: dict[str, dict[str, str]] = {
    "option": {
        "words": "one of its options",
        "ask": "Answer with the letter of the right option.",
        "ask_1": "Which option is right? Give its letter.",
        "ask_2": "Name the right option by its letter.",
        "expected": "Choice",
        "answer_hint": "write the letter or the text of one of the options",
        "an_answer": "B",
    },
    "yes-no": {
        "words": "yes or no",
        "ask": "Answer with yes or no.",
        "ask_1": "Say yes or no.",
        "ask_2": "Your answer is to be yes or no.",
        "expected": "Truth",
        "answer_hint": "write yes or no",
        "an_answer": "yes",
    },
    "number": {
        "words": "a whole number from 1 to 99",
        "ask": "Answer with the number alone.",
        "ask_1": "Give the number and nothing else.",
        "ask_2": "Your answer is the number by itself.",
        "expected": "Item",
        "answer_hint": "write a whole number from 1 to 99",
        "an_answer": "3",
    },
    "order": {
        "words": "the numbers of its options in their right order",
        "ask": "Answer with all the numbers in their right order, separated by commas.",
        "ask_1": "Give all the numbers, with commas between them, in their right order.",
        "ask_2": "Write the numbers of all options in the right order, a comma between each two.",
        "expected": "Order",
        "answer_hint": "write the numbers of all options in their right order, as 2, 1, 3",
        "an_answer": "2, 1, 3",
    },
    "span": {
        "words": "a time span in seconds",
        "ask": "Answer with the start and the end in seconds, as 2-5.5.",
        "ask_1": "Give the start and the end in seconds, in the form 2-5.5.",
        "ask_2": "Write when it starts and when it ends, in seconds, like 2-5.5.",
        "expected": "TimeSpan",
        "answer_hint": "write start and end in seconds, as 2-5.5",
        "an_answer": "0-1",
    },
}


def new(
    name: Annotated[str, typer.Argument(help="Its name: small letters, digits and _.")],
    answer: Annotated[str | None, typer.Option(help=f"What is answered: {', '.join(_ANSWERS)}.")] = None,
    media: Annotated[str | None, typer.Option(help=f"What is shown: {', '.join(_MEDIA)}.")] = None,
    groups: Annotated[
        bool | None, typer.Option("--groups/--no-groups", help="Whether questions count together.")
    ] = None,
    rows: Annotated[
        Path | None, typer.Option(help="A table of your questions, which is prepared at once.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Its title; without one, its name.")] = None,
    into: Annotated[Path, typer.Option(help="The checkout of tempbench-lmms to write into.")] = Path("."),
) -> None:
    """Write the folders of a benchmark of your own, with a sample and tests, from three questions."""
    _check(name, into)
    answer = _chosen("--answer", answer, "What is answered", tuple(_ANSWERS))
    media = _chosen("--media", media, "What is shown", _MEDIA)
    if answer == "span" and media != "video":
        raise TempbenchError("a time span is asked of a video; add --media video")
    if groups is None:
        groups = _asked("Do several questions count together as a group", ("no", "yes")) == "yes"
    texts = texts_of(name, answer, media, groups, _count(rows), title or name)
    if there := [path for path in texts if (into / path).exists()]:
        raise TempbenchError(f"{into / there[0]} is there already; choose another name")
    for path, text in texts.items():
        (into / path).parent.mkdir(parents=True, exist_ok=True)
        with (into / path).open("x", encoding="utf-8") as file:
            file.write(text)
    code = [str(path) for path in texts if path.suffix == ".py"]
    # The order of imports goes by the name, and so does the length of some lines.
    _run(into, "ruff", "check", "--select", "I", "--fix", "--quiet", *code)
    _run(into, "ruff", "format", "--quiet", *code)
    _run(into, "hf_datasets.samples", name)
    print(f"{name}: {len(texts)} files and the sample hf_datasets/mini/{name}")
    if rows:
        print(_run(into, "tempbench_lmms.cli", "prepare", name, "--source", str(rows.resolve())), end="")
    task = name if rows else f"{name}_mini"
    print(f"try it: tempbench run --model tempbench_oracle --tasks {task} --output logs")
    print("what is left to think about: docs/adding_a_benchmark.md")


def _check(name: str, into: Path) -> None:
    from tempbench_lmms.harness.derived import base_of

    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) or len(name) > 40:
        raise TempbenchError(f"{one_line(name)!r} is no name; take small letters, digits and single _")
    if keyword.iskeyword(name) or name.split("_")[-1] == "mini":
        raise TempbenchError(f"{name!r} is no name here: Python or a bundled sample has it; choose another")
    if not all(
        (into / folder).is_dir() for folder in ("tempbench_lmms", "task_yamls", "hf_datasets", "tests")
    ):
        raise TempbenchError(
            f"{into.resolve()} is no checkout of tempbench-lmms; clone it, `pip install -e .[test]` there, "
            "and name its folder with --into"
        )
    if (into / "tempbench_lmms").resolve() != Path(benchmarks.__file__).resolve().parent:
        raise TempbenchError(f"this command is not that of {into.resolve()}; `pip install -e .[test]` there")
    if made := base_of(name):
        raise TempbenchError(
            f"{name!r} is no name here: it would be a task made of {made[0]}; choose another"
        )
    for path in _FOLDERS:
        if (into / path / name).exists():
            raise TempbenchError(f"{into / path / name} is there already; choose another name")
    from tempbench_lmms.harness import names

    if name in names.all_names():
        raise TempbenchError(f"a task of the harness is named {name}; choose another name")


def _chosen(option: str, given: str | None, question: str, known: tuple[str, ...]) -> str:
    found = given or _asked(question, known)
    if found not in known:
        raise TempbenchError(f"{option} {one_line(found)!r} is unknown; choose one of {', '.join(known)}")
    return found


def _asked(question: str, known: tuple[str, ...]) -> str:
    if not sys.stdin.isatty():
        raise TempbenchError("nobody can be asked here; give --answer, --media and --groups or --no-groups")
    return str(typer.prompt(f"{question} ({', '.join(known)})", default=known[0]))


def _count(rows: Path | None) -> int:
    """Returns how many questions a table has; without one, a number to be replaced."""
    if rows is None:
        return 100
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
    name: str, answer: str, media: str, groups: bool, n_questions: int, title: str
) -> dict[Path, str]:
    """Returns the text of every file of a benchmark by its path in a checkout.

    Args:
        name: The benchmark's name.
        answer: One of `_ANSWERS`.
        media: `pictures`, `video` or `none`.
        groups: Whether questions count together.
        n_questions: How many there are.
        title: The benchmark's title.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(FILES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # Python and Markdown, not HTML
    )
    values: dict[str, Any] = {
        "name": name,
        "title": re.sub(r'["\\{}\n]', " ", title).strip() or name,
        "answer": answer,
        "media": media,
        "groups": groups,
        "n_questions": n_questions,
        "has_options": answer in ("option", "order"),
        "main_metric": "group_accuracy" if groups else "accuracy",
        "media_column": {"pictures": '"images",', "video": '"video",', "none": ""}[media],
        "source_imports": {"pictures": "picture, write", "video": "clips, write", "none": "write"}[media],
        "given": 'doc["options"], ' if answer in ("option", "order") else "",
        "asked_keys": "its columns but `target` and `choices`",
        **_ANSWERS[answer],
    }
    if answer == "span":
        values["given"] = 'doc["duration"], '
    out = {}
    for path in sorted(FILES.rglob(f"*{_END}")):
        place = path.relative_to(FILES).as_posix()
        text = environment.get_template(place).render(values)
        out[Path(place.removesuffix(_END).replace("NAME", name))] = re.sub(r"\n{4,}", "\n\n\n", text)
    return out


def _run(folder: Path, module: str, *arguments: str) -> str:
    """Runs a module in a folder and returns what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or "it said nothing").splitlines()[-1]
        raise TempbenchError(f"{module} {arguments[0]}: {one_line(said)}")
    return done.stdout
