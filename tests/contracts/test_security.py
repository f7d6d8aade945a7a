"""Data, model output and downloaded files are nobody's code: each guard has a test that fails without it."""

import csv
import importlib
import io
import os
import pickle
import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from markupsafe import escape
from PIL import Image

import hf_datasets.tempvs.prepare as release_prepare
import hf_datasets.tempvs.release as release
import tempbench_lmms
from tempbench_lmms.cli import questions
from tempbench_lmms.data import roots, terminal
from tempbench_lmms.data.hub import downloading
from tempbench_lmms.errors import MediaError, TempbenchError
from tempbench_lmms.harness import tasks
from tempbench_lmms.media import decoding, images
from tempbench_lmms.parsing.exact import json_values
from tempbench_lmms.report import text
from tempbench_lmms.runs import logs
from tests import hub
from tests.command import complains, tempbench
from tests.contracts.test_bad_data import bomb
from tests.each import for_each

ROOT = Path(tempbench_lmms.__file__).parents[1]
FILES = sorted([*(ROOT / "tempbench_lmms").rglob("*.py"), *(ROOT / "hf_datasets").rglob("*.py")])

# ruff looks for eval, exec, pickles, shells and unsafe loaders; here is what it does not know.
UNSAFE = [
    (re.compile(r"trust_remote_code"), None),
    (re.compile(r"\.extract(all)?\("), None),  # members of archives name their own paths
    (re.compile(r"\bread_pickle\((?!\.\.\.)"), None),
    (re.compile(r"\bnp\.load\((?![^\n]*allow_pickle=(False|allow_pickle))"), None),
    (re.compile(r"\bav\.open\((?!.{0,300}(format_whitelist|\"w\"))", re.S), None),  # a playlist names files
]


def test_no_file_runs_what_others_wrote():
    def check(path):
        text = path.read_text(encoding="utf-8")
        assert [one.pattern for one, where in UNSAFE if path.name != where and one.search(text)] == []

    for_each(FILES, check)


def test_the_loader_of_yaml_is_a_safe_one():
    import yaml

    assert issubclass(tasks._Loader, (yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader)))


@pytest.mark.parametrize("tag", ["!function os.system", "!function tempbench_lmms_evil.run"])
def test_a_task_names_functions_of_this_package_alone(tag, tmp_path):
    (tmp_path / "task.yaml").write_text(f"task: x\nprocess_results: {tag}\n")
    with pytest.raises(TempbenchError, match="not a function of this package"):
        tasks.load(tmp_path / "task.yaml")


def test_a_task_builds_no_python_object(tmp_path):
    import yaml

    flag = tmp_path / "flag"
    (tmp_path / "task.yaml").write_text(f"task: !!python/object/apply:os.mkdir ['{flag}']\n")
    with pytest.raises(yaml.YAMLError):
        tasks.load(tmp_path / "task.yaml")
    assert not flag.exists()


class Bomb:
    def __init__(self, flag):
        self.flag = flag

    def __reduce__(self):
        return os.mkdir, (str(self.flag),)


def test_a_pickle_is_not_opened(tmp_path):
    flag = tmp_path / "flag"
    (tmp_path / "rows.pkl").write_bytes(pickle.dumps(Bomb(flag)))
    with pytest.raises(TempbenchError, match="is a pickle"):
        release.load_rows(tmp_path, "rows")
    assert not flag.exists()


HOSTILE_JSON = [
    "[" * 100_000,
    '{"a":' * 100_000,
    '{"results": {"tempvs_mini": {}}, "configs": ' + "[" * 100_000,
    "9" * 100_000,
    "NaN",
    "[]",
    '{"results": [], "configs": {}}',
    '{"results": {"tempvs_mini": []}, "configs": {"tempvs_mini": []}}',
    '{"results": {"tempvs_mini": {}}, "configs": {"tempvs_mini": {}}, "config": 3}',
    "\ud800",
]


@pytest.mark.parametrize("content", HOSTILE_JSON, ids=lambda content: content[:20])
def test_a_results_file_is_read_or_refused(content, tmp_path):
    file = tmp_path / "20260101_000000_results.json"
    file.write_bytes(content.encode(errors="surrogatepass"))
    with pytest.raises(TempbenchError) as caught:
        logs.read_runs([file])
    assert "\n" not in str(caught.value)


DOWNLOADS = {
    "tempvs.prepare": ("download", "main"),
    "mateo.prepare": ("download", "main"),
    "rextime.prepare": ("_from_hub", "main"),
    "timepercept.controls": ("origin", "hub", "org/name"),
}


@pytest.fixture(params=DOWNLOADS)
def answered(request, monkeypatch):
    """Returns what downloads a data set while `HfApi.dataset_info` is a function."""
    name, *arguments = DOWNLOADS[request.param]
    function = getattr(importlib.import_module(f"hf_datasets.{request.param}"), name)

    def download(info):
        monkeypatch.setattr("huggingface_hub.HfApi.dataset_info", info)
        return function(*arguments)

    return download


@pytest.mark.parametrize("sha", ["../../../../elsewhere", "/elsewhere", "main", "", None, "0" * 40 + "/.."])
def test_a_server_chooses_no_folder_by_its_commit(answered, sha):
    with pytest.raises(TempbenchError, match="the server did not send a commit id"):
        answered(lambda *args, **kwargs: SimpleNamespace(sha=sha, siblings=[]))


def test_whatever_a_download_raises_is_one_line(answered):
    def refuse(*args, **kwargs):
        raise ValueError("Invalid filename '../x'\nask the owner to rename this file")

    with pytest.raises(TempbenchError, match=r"cannot be downloaded .*Invalid filename.* --source") as caught:
        answered(refuse)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["../../../../../../evil.json", "{box}/evil.json", "..\\..\\evil.json"])
def test_a_repository_writes_no_file_outside_the_cache(name, tmp_path, monkeypatch):
    (tmp_path / "repository").mkdir()
    evil = name.format(box=tmp_path)
    listing = {"id": release_prepare.REPO, "sha": hub.COMMIT, "private": False, "tags": []}
    listing |= {"siblings": [{"rfilename": evil}], "downloads": 0, "likes": 0}
    tree = [{"type": "file", "path": evil, "size": 3, "oid": "0" * 40}]
    monkeypatch.setattr(
        hub.Hub, "_listing", lambda self, name, folder, path, _: tree if "/tree/" in path else listing
    )
    with hub.Hub({release_prepare.REPO: tmp_path / "repository"}) as server:
        environment = {
            "HF_ENDPOINT": server.url,
            "HF_HOME": str(tmp_path / "a" / "b" / "c" / "hf"),
            "HF_HUB_OFFLINE": "0",
        }
        complains(tempbench("prepare", "tempvs", "--accept-license", **environment))
    assert [path for path in tmp_path.rglob("*") if "evil" in path.name] == []


OUT_OF_THE_CACHE = ["../../../../../evil", "{box}/evil", "..", "a/../../../../evil", "..\\\\evil"]


@pytest.mark.parametrize("header", ["ETag", "X-Linked-ETag", "X-Repo-Commit"])
@pytest.mark.parametrize("name", OUT_OF_THE_CACHE)
def test_a_server_names_no_file_outside_the_cache(header, name, tmp_path, monkeypatch):
    from huggingface_hub import hf_hub_download

    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "data.json").write_text("[]")
    name = name.format(box=tmp_path)
    monkeypatch.setattr(hub, "HEADERS", {header: name if header == "X-Repo-Commit" else f'"{name}"'})
    before = set(tmp_path.rglob("*"))
    cache = tmp_path / "a" / "b" / "c" / "hub"
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    with hub.Hub({"org/name": folder}) as server:
        wanted = {"repo_type": "dataset", "revision": "main", "cache_dir": cache, "endpoint": server.url}
        with (
            pytest.raises(TempbenchError, match="a path outside the cache") as caught,
            downloading("org/name"),
        ):
            hf_hub_download("org/name", "data.json", **wanted)
    assert "\n" not in str(caught.value)
    assert {path for path in tmp_path.rglob("*") if not path.is_relative_to(tmp_path / "a")} == before
    assert [path for path in tmp_path.rglob("*") if "evil" in path.name] == []


def test_a_client_that_cannot_be_checked_downloads_nothing(monkeypatch):
    monkeypatch.delattr("huggingface_hub.file_download._get_metadata_or_catch_error")
    with pytest.raises(TempbenchError, match="huggingface_hub would write"), downloading("org/name"):
        pytest.fail("the download began")


@pytest.fixture
def prepared(tmp_path, monkeypatch):
    """A prepared benchmark, and a picture outside it."""
    root = tmp_path / "home" / "tempvs"
    (root / "media").mkdir(parents=True)
    (root / roots.MANIFEST).write_text("{}")
    # What lies above the data looks like a data set too.
    (tmp_path / roots.MANIFEST).write_text("{}")
    monkeypatch.setenv("TEMPBENCH_DATA", str(tmp_path / "home"))
    Image.new("RGB", (4, 4)).save(tmp_path / "secret.png")
    Image.new("RGB", (4, 4)).save(root / "media" / "own.png")
    return root


@pytest.mark.parametrize(
    "url",
    [
        "tempbench://tempvs/../../secret.png",
        "tempbench://tempvs/media/../../../secret.png",
        "tempbench://tempvs//{secret}",
        "{secret}",
        "file://{secret}",
        "tempbench://{secret}",
        "tempbench://tempvs/media/..\\..\\..\\secret.png",
        "tempbench://tempvs/media/%2e%2e/%2e%2e/%2e%2e/secret.png",
        "tempbench://tempvs/media/..%2f..%2f..%2fsecret.png",
        "tempbench://tempvs/media/../../../secret.png\0.png",
        "tempbench://../secret.png",
        "tempbench://./../secret.png",
        "tempbench://tempvs/./media/./../../../secret.png",
        "TEMPBENCH://{secret}",
        # Way out and in again: no row needs it, and a link on the way would lead elsewhere.
        "tempbench://tempvs/media/../media/own.png",
    ],
)
def test_no_row_shows_a_picture_from_elsewhere(url, prepared, tmp_path):
    with pytest.raises(TempbenchError):
        images.load_image(url.format(secret=tmp_path / "secret.png"))


def test_no_link_shows_a_picture_from_elsewhere(prepared, tmp_path):
    os.symlink(tmp_path / "secret.png", prepared / "media" / "a.png")
    os.symlink(tmp_path, prepared / "media" / "folder")
    for url in ("tempbench://tempvs/media/a.png", "tempbench://tempvs/media/folder/secret.png"):
        with pytest.raises(TempbenchError, match="outside"):
            images.load_image(url)


@pytest.mark.parametrize("side", [8_100, 30_000])
def test_a_small_file_does_not_become_a_huge_picture(side, prepared):
    # The smaller one is within Pillow's own limit.
    path = prepared / "media" / "bomb.png"
    path.write_bytes(bomb(side))
    assert path.stat().st_size < 200_000
    with pytest.raises(MediaError, match="pixels"):
        images.load_image("tempbench://tempvs/media/bomb.png")


def test_a_video_with_too_many_pixels_is_not_decoded(monkeypatch):
    clip = next(roots.mini_root("coherence").rglob("*.mp4"))
    monkeypatch.setenv("TEMPBENCH_MAX_PIXELS", "1000")
    with pytest.raises(MediaError, match="pixels, more than 1000"):
        decoding.Video(clip)


def test_a_video_opens_no_other_file(tmp_path):
    shutil.copyfile(next(roots.mini_root("coherence").rglob("*.mp4")), tmp_path / "other.mp4")
    (tmp_path / "list.mp4").write_text("ffconcat version 1.0\nfile other.mp4\n")
    decoding.Video(tmp_path / "other.mp4")
    with pytest.raises(MediaError, match=r"list\.mp4"):
        decoding.Video(tmp_path / "list.mp4")


@pytest.mark.parametrize("sign", [*"=+-@\t\r\n＝＋－＠﹦", " =", "\ufeff=", "\u00a0\n＝"])
def test_no_cell_is_a_formula(sign):
    """Neither a value nor a name, of the items of a run, a report or a table: one function writes all."""
    written = list(csv.reader(io.StringIO(text.written([[f"{sign}1+1", "-0.5", -0.5, "+1,000", "-"]]))))
    assert written == [[f"'{terminal.shown(sign)}1+1", "-0.5", "-0.5", "+1,000", "-"]]


@pytest.mark.parametrize("sign", "&%$#_{}~^<>\\")
def test_no_sign_commands_latex(sign):
    shown = text.in_latex(f"a{sign}b")
    assert shown != f"a{sign}b"
    assert shown.startswith("a\\")


def test_a_reply_of_a_hundred_thousand_brackets_is_read():
    for reply in ("[" * 100_000, '{"answer":' * 20_000, '{"a": ' + "[" * 100_000):
        assert list(json_values(reply)) == []


def test_only_picture_formats_are_read_as_pictures(prepared):
    # Pillow reads PostScript by running Ghostscript on it.
    path = prepared / "media" / "a.png"
    Image.new("RGB", (4, 4)).save(path, "EPS")
    with pytest.raises(MediaError, match="in the format EPS are not read"):
        images.load_image("tempbench://tempvs/media/a.png")


def shown_page(word, folder, monkeypatch):
    """The page of a question whose texts and video have a word in them, and of one that cannot be shown."""
    video = folder / f"{word.replace('/', '')}.mp4"
    shutil.copyfile(next(roots.mini_root("coherence").rglob("*.mp4")), video)

    def messages(doc, kwargs):
        if doc["problem"]:
            raise TempbenchError(doc["problem"])
        texts = [{"type": "text", "text": text} for text in (doc["question"], *doc["options"])]
        return [{"content": [*texts, {"type": "video", "url": str(video)}]}]

    config = {
        "task": word,
        "doc_to_messages": messages,
        "doc_to_text": lambda doc, kwargs: doc["question"],
        "doc_to_visual": lambda doc, kwargs: [str(video)],
    }
    doc = {"question": f"{word} prompt", "options": [f"{word} option"], "target": f"{word} target"}
    docs = [doc | {"problem": ""}, doc | {"problem": f"{word} problem"}, doc]
    monkeypatch.setattr(questions, "load_leaf", lambda task: config)
    monkeypatch.setattr(questions, "docs_with", lambda number, config: docs)
    return questions.as_html(word, 0, 2, 2)


@pytest.mark.parametrize("evil", ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", '"><b id=x>'])
def test_a_page_shows_markup_as_text(evil, tmp_path, monkeypatch):
    page = shown_page(evil, tmp_path, monkeypatch)
    assert evil not in page
    for what in (" prompt", " option", " target", " problem", ", what a model sees"):
        assert f"{escape(evil)}{what}" in page
    assert f"video {escape(evil.replace('/', ''))}.mp4" in page
    assert f"tempbench show {escape(evil)} --doc 2" in page
