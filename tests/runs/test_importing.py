"""Runs from elsewhere: the same replies have the numbers of a run, whatever format they come in."""

import json
import zipfile

import pytest

from hf_datasets.tempvs.release import convert
from tempbench_lmms import benchmarks
from tempbench_lmms.data import outputs, provenance
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness.respondents import REPLIES
from tempbench_lmms.harness.tasks import docs_of, load_task
from tempbench_lmms.record import evaluate
from tempbench_lmms.rextime import rows as rextime_rows
from tempbench_lmms.rextime import scoring
from tempbench_lmms.runs import importing, logs
from tempbench_lmms.runs.run_card import IMPORTED, run_card
from tempbench_lmms.tempvs.card import MAIN_TESTS
from tempbench_lmms.tempvs.imports import _OFFICIAL, load_rows
from tests.command import complains, tempbench
from tests.runs.test_logs import write_run

MATEO = "mateo_text_cot_mini"


def answered(task, respondent="oracle"):
    """Returns a task's questions and their replies."""
    return [(doc, REPLIES[respondent](doc, task, 0)) for doc in docs_of(load_task(task))]


def write_lines(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def as_replies(folder, task):
    lines = [{"question_id": doc["question_id"], "reply": reply} for doc, reply in answered(task)]
    return write_lines(folder / "replies.jsonl", lines)


def table_of(task):
    return [
        {"index": number, "question_id": doc["question_id"], "prediction": reply}
        for number, (doc, reply) in enumerate(answered(task))
    ]


def as_xlsx(folder, task):
    from openpyxl import Workbook

    book = Workbook()
    rows = table_of(task)
    book.active.append(list(rows[0]))
    for row in rows:
        book.active.append(list(row.values()))
    book.save(folder / "table.xlsx")
    return folder / "table.xlsx"


def as_tempvs(folder, task):
    """In the official layout; what names a question there are its source, its sequence and its text."""
    tables = {}
    for doc, reply in answered(task):
        for test in doc["tests"]:
            number = doc["answer"] if doc["role"] == "grounding" else ""
            row = {
                "question_id": doc["question_id"] if doc["role"] == "main" else "official_q7",
                "img_seq_id": doc["sequence_id"],
                "event_to_test": doc["text"] if test != "gt_caption" else "",
                "text_to_test": doc["text"] if test == "gt_caption" else "",
                "gt_option": f"image {number}",
                "preds": reply,
            }
            tables.setdefault(f"{doc['source']}_{_OFFICIAL[test]}_preds_full.json", []).append(row)
    model = folder / "combined" / "Qwen2-VL-7B-Instruct"
    model.mkdir(parents=True)
    for name, rows in tables.items():
        (model / name).write_text(json.dumps(rows))
    return model


def as_tomato(folder, task):
    for doc, reply in answered(task):
        shuffled = "shuffle_" * (doc["condition"] == "shuffled")
        frames = folder / "results" / f"{shuffled}{doc['type']}+{doc['scene']}" / str(doc["n_frames"])
        frames.mkdir(parents=True, exist_ok=True)
        line = {"id": doc["base_id"], "question": doc["question"], "response": reply, "gt": doc["answer"]}
        with (frames / "model.jsonl").open("a") as stream:
            stream.write(json.dumps(line) + "\n")
    return folder / "results"


def as_submission(folder, task):
    config = load_task(task)
    records = [config["process_results"](doc, [reply])["record"] for doc, reply in answered(task)]
    lines = [
        {"qid": one["id"], "pred_relevant_windows": one["spans"] or [[0.0, 0.0]], "ans": one["answer"] or ""}
        for one in records
    ]
    return write_lines(folder / "submission.jsonl", lines)


FORMATS = [
    ("vlmevalkit", as_xlsx, MATEO),
    ("tempvs", as_tempvs, "tempvs_mt1_two_mini"),
    ("tempvs", as_tempvs, "tempvs_mini"),
    ("tomato", as_tomato, "coherence_qa_shuffled_mini"),
    ("tomato", as_tomato, "coherence_qa_1f_mini"),
    ("rextime", as_submission, "rextime_mini"),
]


def imported(name, path, task, output, **more):
    reader = {**importing.READERS, **benchmarks.readers(task.split("_")[0])}[name]
    partial = more.pop("partial", False)
    source = importing.source_of(path, task, **more)
    return importing.run(reader, name, source, output, partial), source.remarks


def without_run(values):
    details = {key: table for key, table in values["details"].items() if key != provenance.KEY}
    return {**values, "details": details}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "write", "task"), FORMATS, ids=lambda value: getattr(value, "__name__", str(value))
)
def test_an_imported_oracle_has_the_oracle_s_numbers(name, write, task, tmp_path):
    write_run(tmp_path / "run", "oracle", task)
    done, _ = imported(name, write(tmp_path, task), task, tmp_path / "imported")
    (theirs,) = logs.read_runs([tmp_path / "imported"])
    (ours,) = logs.read_runs([tmp_path / "run"])
    assert len(done.samples) == len(ours.samples)
    assert not theirs.problems
    found = {key: value for key, value in theirs.values.items() if key != "alias"}
    assert without_run(found) == without_run(ours.values)
    assert {sample.doc_id: sample.prompt for sample in theirs.samples} == {
        sample.doc_id: sample.prompt for sample in ours.samples
    }


def test_what_is_not_known_of_an_imported_run_is_not_in_its_card(tmp_path):
    imported("replies", as_replies(tmp_path, MATEO), MATEO, tmp_path / "imported", model="some-model")
    card = run_card(logs.read_runs([tmp_path / "imported"])[0])
    assert card["model"] == "some-model"
    assert card[IMPORTED]["format"] == "replies"
    assert card[IMPORTED]["from"] == "replies.jsonl"
    assert card["prompts_sha256"] is card["version"]["prompts"] is card["date"] is None
    assert card["settings"] == card["generation"] == {}
    assert [name for name, version in card["packages"].items() if version] == ["tempbench-lmms"]
    assert card["complete"] is True


@pytest.mark.parametrize("name", [f"{MATEO}/x_results.json", outputs.STATE])
def test_nothing_is_imported_into_the_folder_of_a_run(name, tmp_path):
    there = tmp_path / "run" / name
    there.parent.mkdir(parents=True)
    there.touch()
    file = as_replies(tmp_path, MATEO)
    for output in (tmp_path / "run", tmp_path / "run" / "below")[: 1 + (name == outputs.STATE)]:
        with pytest.raises(TempbenchError, match="belongs to a run already"):
            imported("replies", file, MATEO, output)


def test_missing_unknown_and_repeated_replies_are_said(tmp_path):
    file = as_replies(tmp_path, MATEO)
    lines = file.read_text().splitlines()
    file.write_text("\n".join(lines[:-3]))
    with pytest.raises(TempbenchError, match="3 of 208 questions have no reply"):
        imported("replies", file, MATEO, tmp_path / "a")
    assert not (tmp_path / "a").exists()
    _, remarks = imported("replies", file, MATEO, tmp_path / "a", partial=True)
    assert remarks[0].startswith("scored 205 of 208 questions")
    (log,) = logs.read_runs([tmp_path / "a"])
    assert len(log.samples) == 205
    assert run_card(log)["questions"] == {"of": 208, "asked": 205, "logged": 205, "failed": 0}
    assert run_card(log)["complete"] is False
    file.write_text("\n".join([*lines, lines[0]]))
    with pytest.raises(TempbenchError, match=r"line 209: answers .* again"):
        imported("replies", file, MATEO, tmp_path / "b")
    file.write_text("\n".join([*lines, '{"question_id": "cake/1-2", "reply": "x"}']))
    with pytest.raises(
        TempbenchError, match=r"1 reply to unknown questions, first 'cake/1-2' \(.*replies.jsonl, line 209\)"
    ):
        imported("replies", file, MATEO, tmp_path / "b", partial=True)


def test_a_table_without_ids_is_read_by_its_questions_where_each_is_one(tmp_path):
    task = "rextime_vqa_mini"
    config = load_task(task)
    rows = [
        {"index": number, "question": config["doc_to_text"](doc, {"ask": "answer"}), "prediction": reply}
        for number, (doc, reply) in enumerate(answered(task))
    ]
    imported("vlmevalkit", write_lines(tmp_path / "t.jsonl", rows), task, tmp_path / "a")
    (log,) = logs.read_runs([tmp_path / "a"])
    assert log.values["acc"] == 1
    rows[0]["question"] = "What is it?"
    with pytest.raises(TempbenchError, match="unknown questions, first '0'"):
        imported("vlmevalkit", write_lines(tmp_path / "t.jsonl", rows), task, tmp_path / "b")


@pytest.mark.slow
def test_failed_requests_and_empty_cells(tmp_path):
    rows = table_of(MATEO)
    rows[0]["prediction"] = "Failed to obtain answer via API."
    rows[1]["prediction"] = None
    imported("vlmevalkit", write_lines(tmp_path / "t.jsonl", rows), MATEO, tmp_path / "a")
    (log,) = logs.read_runs([tmp_path / "a"])
    assert (log.values["n_failed"], log.values["unread_empty"]) == (1, 1 / 208)


def test_folders_of_other_ways_of_asking_are_left_out_and_said(tmp_path):
    folder = as_tomato(tmp_path, "coherence_qa_1f_mini")
    more = folder / "count+human" / "32"
    more.mkdir()
    (more / "model.jsonl").write_text('{"id": "0", "response": "A"}\n')
    _, remarks = imported("tomato", folder, "coherence_qa_1f_mini", tmp_path / "a")
    assert remarks == ["left out are 1 files that were asked as 32f; coherence_qa_1f_mini asks as 1f"]
    (more / "other.jsonl").write_text("")
    with pytest.raises(TempbenchError, match="files of 2 models; give one with --model: model, other"):
        imported("tomato", folder, "coherence_qa_1f_mini", tmp_path / "b")


def test_a_table_with_the_id_of_one_question_and_the_text_of_another_is_refused(tmp_path):
    rows = table_of(MATEO)
    source = importing.source_of(tmp_path, MATEO)
    for row, prompt in zip(rows, map(source.prompts(), source.docs), strict=True):
        row["question"] = prompt
    imported("vlmevalkit", write_lines(tmp_path / "t.jsonl", rows), MATEO, tmp_path / "a")
    names = [row["question_id"] for row in rows]
    for row, name in zip(rows, [*names[1:], names[0]], strict=True):
        row["question_id"] = name
    says = (
        f"line 1 has the id of question {names[1]} but the text of question {names[0]}; one of these columns"
    )
    with pytest.raises(TempbenchError, match=says):
        imported("vlmevalkit", write_lines(tmp_path / "t.jsonl", rows), MATEO, tmp_path / "b", partial=True)


@pytest.mark.slow
def test_an_imported_submission_has_the_official_scorer_s_numbers(shared):
    truths = rextime_rows.load_records(shared / "real" / "rextime" / "rextime_val.jsonl")
    docs = {doc["question_id"]: doc for doc in map(rextime_rows.row, truths)}
    file = shared / "golden" / "rextime_submission.jsonl"
    source = importing.Source(file, "rextime", list(docs.values()), {})
    answers = list(benchmarks.readers("rextime")["rextime"](source))
    records = [scoring.record(docs[answer.id], answer.reply, False, "both") for answer in answers]
    expected = json.loads((shared / "golden" / "rextime_expected.json").read_text())
    brief = expected.get("brief", expected)
    assert evaluate(scoring.METRICS["vqa_official"], records) == pytest.approx(brief["VQA"])
    assert evaluate(scoring.METRICS["miou_official"], records) == pytest.approx(brief["MR-full-mIoU"])
    (remark,) = source.remarks
    assert "no letter of an option" in remark


@pytest.mark.parametrize("endings", [("json", "json"), ("jsonl", "json")])
def test_two_runs_of_one_tempvs_model_are_refused(endings, tmp_path):
    name = f"vist_{_OFFICIAL['mt1_two']}"
    for size, ending in zip(("full", "8bit"), endings, strict=True):
        (tmp_path / f"{name}_preds_{size}.{ending}").write_text("[]")
    docs = [doc for doc in docs_of(load_task("tempvs_mt1_two_mini")) if "mt1_two" in doc["tests"]]
    source = importing.Source(tmp_path, "tempvs_mt1_two_mini", docs, {})
    with pytest.raises(TempbenchError, match=f"{name}_preds_full and {name}_preds_8bit, which are two runs"):
        list(benchmarks.readers("tempvs")["tempvs"](source))


def test_official_rows_of_tempvs_are_the_questions_prepared_from_them(shared, tmp_path):
    release = shared / "golden" / "tempvs_release_layout"
    tables, _, _ = convert(release / "data", [release])
    told = {}
    for test, official in _OFFICIAL.items():
        stem = official.removesuffix("_story").removesuffix("_opt_event").removesuffix("_opt")
        rows = load_rows(release / "data" / "benchmark", f"flintstones_{stem}_test")
        for number, one in enumerate(rows):
            one["preds"] = told.setdefault((test, number), f"{one['gt_option']}, {number} of {test}")
        (tmp_path / f"flintstones_{official}_preds_full.json").write_text(json.dumps(rows))
    for test in [*MAIN_TESTS, "all"]:
        source = importing.Source(tmp_path, test, tables[test], {})
        answers = list(benchmarks.readers("tempvs")["tempvs"](source))
        assert sorted(answer.id for answer in answers) == sorted(doc["question_id"] for doc in tables[test])
        golds = {doc["question_id"]: (doc["answer"], doc["tests"]) for doc in tables[test]}
        for answer in answers:
            gold, tests = golds[answer.id]
            assert answer.reply.partition(",")[0].removeprefix("image ") == gold
            assert answer.reply.rpartition(" ")[2] in tests


@pytest.mark.parametrize(
    ("name", "task", "file", "content", "says"),
    [
        ("vlmevalkit", MATEO, "t.pkl", b"", "is not a table"),
        ("vlmevalkit", MATEO, "t.xlsx", b"PK\x03\x04 none", "cannot be read"),
        ("vlmevalkit", MATEO, "t.json", b"3", "is neither a list of rows"),
        ("vlmevalkit", MATEO, "t.tsv", b"index\tanswer\n1\tA\n", "has no column prediction"),
        ("replies", MATEO, "l.jsonl", b"3\n", "line 1 is not an object with question_id and reply"),
        ("tomato", MATEO, "l.jsonl", b"", "no format 'tomato'"),
        ("replies", "mateo_mini", "l.jsonl", b"", "is a group"),
    ],
)
def test_what_cannot_be_imported_is_one_line(name, task, file, content, says, tmp_path):
    (tmp_path / file).write_bytes(content)
    arguments = ("import", name, tmp_path / file, "--task", task, "-o", tmp_path / "o")
    complains(tempbench(*arguments), says)
    assert not (tmp_path / "o").exists()


def test_a_small_archive_that_expands_beyond_measure_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("TEMPBENCH_MAX_BYTES", "2000000")
    with zipfile.ZipFile(tmp_path / "log.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("1.xml", " " * 2_000_001)
    assert (tmp_path / "log.xlsx").stat().st_size < 3000
    arguments = ("import", "vlmevalkit", tmp_path / "log.xlsx", "--task", MATEO, "-o", tmp_path / "o")
    complains(tempbench(*arguments), "log.xlsx holds more than 2,000,000 bytes")
