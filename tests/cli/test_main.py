"""The command as its user meets it: one line and a status that is not 0 where something is wrong."""

import os
import re
import shlex
import shutil
from pathlib import Path

import pytest
import typer

from tempbench_lmms import __version__
from tempbench_lmms.cli import __main__ as start
from tempbench_lmms.cli import main
from tempbench_lmms.data import outputs, roots, tables
from tempbench_lmms.data.roots import mini_root
from tempbench_lmms.harness.tasks import task_files
from tempbench_lmms.tempvs.rows import SCHEMA
from tests.command import REPOSITORY, commands, complains, tempbench, tempbench_process

COMMANDS = commands()


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """Prepared data that is a copy of two stories of the bundled sample."""
    root = tmp_path_factory.mktemp("sound") / "tempvs"
    rows = []
    for row in tables.read_rows(mini_root("tempvs") / "mt1_two"):
        if row["sequence_id"] in ("mini_vist_0", "mini_vist_1"):
            for url in row["images"]:
                target = root / "media" / url.split("/media/")[1]
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(roots.resolve(url).read_bytes())
            rows.append(row | {"images": [url.replace("/mini/", "/") for url in row["images"]]})
    write(root, rows)
    tables.write_json({"benchmark": "tempvs"}, root / roots.MANIFEST)
    return root


@pytest.fixture
def prepared(sound, tmp_path):
    """The same, to be spoilt."""
    return shutil.copytree(sound, tmp_path / "home" / "tempvs")


def write(root, rows):
    tables.write_rows(rows, root / "mt1_two" / "test.parquet", SCHEMA)


def rows_of(root):
    return tables.read_rows(root / "mt1_two")


def verify(root):
    return tempbench("verify", "tempvs", TEMPBENCH_DATA=str(root.parent))


@pytest.mark.slow
def test_version_and_path():
    assert tempbench_process("--version").stdout.strip() == __version__
    assert (Path(tempbench("path").stdout.strip()) / "tempvs" / "tempvs.yaml").is_file()


def test_tasks(prepared):
    lines = _listed(prepared)
    n_questions = len(rows_of(prepared))
    assert lines["tempvs_mt1_two"].split(maxsplit=4)[1:4] == [str(n_questions), "1", "picture"]
    assert "not prepared" in lines["tempvs_mt2_event"]
    assert "tempvs_mt1_two_mini" not in lines
    complains(tempbench("tasks", "nope"), "unknown benchmark 'nope'")
    lines = _listed(prepared, "--all")
    assert "  5 pictures  " in lines["tempvs_mt1_two_separate_mini"]
    assert set(lines) == {
        "task",
        *(name for name, file in task_files().items() if file.parent.name == "tempvs"),
    }


def _listed(prepared, *options):
    done = tempbench("tasks", "tempvs", *options, TEMPBENCH_DATA=str(prepared.parent))
    return {line.split()[0]: line for line in done.stdout.splitlines() if line}


def test_ctrl_c_is_a_line(monkeypatch, tmp_path, capsys):
    def ended(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(outputs, "check_file", ended)
    done = tempbench("show", "tempvs_mt1_two_mini", "-o", tmp_path / "page.html")
    assert (done.returncode, done.stderr) == (130, "tempbench: ended by SIGINT\n")
    monkeypatch.setattr(main, "main", ended)  # while the command is being loaded
    with pytest.raises(SystemExit) as end:
        start.main()
    assert end.value.code == 130
    assert capsys.readouterr().err == "tempbench: ended by SIGINT\n"


def test_unknown_task():
    complains(tempbench("show", "tempvs_mt1_tow_mini"), "no task named", "tempvs_mt1_two_mini")


def test_data_not_prepared(tmp_path):
    done = tempbench("show", "tempvs_mt1_two", TEMPBENCH_DATA=str(tmp_path))
    complains(done, "run `tempbench prepare tempvs`")
    complains(verify(tmp_path / "tempvs"), "run `tempbench prepare tempvs`")


def test_show(tmp_path):
    page = tmp_path / "page.html"
    done = tempbench("show", "tempvs_mt3_event_mini", "--doc", "5", "-o", str(page))
    assert done.returncode == 0
    assert "The images I provide are labeled" in done.stdout
    assert "right answer: Option" in done.stdout
    assert page.read_text().count("<img") == 5  # this document's and its four neighbours'
    complains(tempbench("show", "tempvs_mt3_event_mini", "-o", str(page)), "exists", "--force")
    complains(tempbench("show", "tempvs_mt3_event_mini", "--doc", "9999"), "no document 9999")
    text = tmp_path / "page.txt"
    assert tempbench("show", "tempvs_mt3_event_mini", "--doc", "5", "-o", str(text)).returncode == 0
    assert text.read_text() == done.stdout
    other = tmp_path / "page.pdf"
    complains(tempbench("show", "tempvs_mt3_event_mini", "-o", str(other)), "unknown format", ".html or .txt")
    assert not other.exists()


@pytest.mark.slow
def test_show_a_neighbour_that_is_damaged(prepared, tmp_path):
    """The page says what is wrong with it; the document that was asked for is shown."""
    first, *rows = rows_of(prepared)
    other = next(row for row in rows if not set(row["images"]) & set(first["images"]))
    write(prepared, [first, other])
    (prepared / "media" / "vist" / other["images"][0].rpartition("/")[2]).write_bytes(b"no picture")
    page = tmp_path / "page.html"
    command = ("show", "tempvs_mt1_two", "-o", str(page), "--count", "2")
    done = tempbench(*command, TEMPBENCH_DATA=str(prepared.parent))
    assert done.returncode == 0, done.stderr
    assert page.read_text().count("the image is damaged") > 0
    assert page.read_text().count("<img") == 1


def test_a_column_that_is_not_there(prepared):
    import pyarrow.parquet as pq

    table = prepared / "mt1_two" / "test.parquet"
    pq.write_table(pq.read_table(table).drop_columns(["images"]), table)
    shown = tempbench("show", "tempvs_mt1_two", TEMPBENCH_DATA=str(prepared.parent))
    complains(shown, "tempvs_mt1_two: document 0", "'images'", "tempbench verify tempvs")


def test_old_harness(tmp_path):
    # A distribution that says it is lmms-eval 0.6.0, found before the real one.
    info = tmp_path / "lmms_eval-0.6.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lmms-eval\nVersion: 0.6.0\n")
    done = tempbench_process("verify", PYTHONPATH=f"{tmp_path}{os.pathsep}{REPOSITORY}")
    complains(done, "needs lmms-eval 0.6.1 or later", "pip install")


@pytest.mark.harness
def test_names_are_compared_with_the_harness():
    done = tempbench_process("verify")
    assert done.returncode == 0, done.stderr
    assert "none of them the harness's: ok" in done.stdout


def test_every_command_takes_its_example():
    for name, example in main.EXAMPLES.items():
        command = COMMANDS[name]
        # Reads the words as the command line would; an unknown or missing option is an error.
        with command.make_context(name, shlex.split(example)) as context:
            assert context.command is command


@pytest.mark.slow
def test_every_help_has_its_texts(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "200")
    for name, command in COMMANDS.items():
        said = command.get_help(typer.Context(command)) + capsys.readouterr().out
        assert said.count("Example:") == (name in main.EXAMPLES), name
        flat = re.sub(r"[\s│]+", "", said)
        for one in command.params:  # brackets in it would be markup
            assert re.sub(r"\s+", "", getattr(one, "help", None) or "") in flat, (name, one.name)
