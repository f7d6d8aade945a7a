"""What plain `datasets` makes of published data, without this package."""

import hashlib
import json
import subprocess
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hf_datasets.publishing.card import AS_FILES
from tempbench_lmms.data import checksums, tables
from tempbench_lmms.media.images import open_image
from tests.hub import Hub, variables

Table = tuple[str, str, str]
"""Name of the data set in `org`, configuration and split."""

LOADING = """
    import hashlib, importlib, json, os, sys
    import datasets
    from huggingface_hub import constants

    # Where they were imported already, they read the variables of the Hub anew.
    os.environ.update(json.loads(sys.argv[2]))
    for one in (constants, datasets.config):
        importlib.reload(one)

    # All splits at once: most of the time goes into finding out what there is.
    wanted, found = json.loads(sys.argv[1]), {}
    loaded = {
        (name, config): datasets.load_dataset(f"org/{name}", config)
        for name, config in {(name, config) for name, config, _ in wanted}
    }
    for name, config, split in wanted:
        rows = loaded[name, config][split]
        if "video" in rows.column_names:
            questions, Video = rows, datasets.Video
            AS_FILES
            rows = questions
        media = []
        for column in ("images", "image_a", "image_b", "video"):
            if column in rows.column_names:
                value = rows[len(rows) - 1][column]
                for one in value if isinstance(value, list) else [value]:
                    if one == "":
                        continue  # a question without pictures
                    is_video = isinstance(one, dict)
                    content = open(one["path"], "rb").read() if is_video else one.convert("RGB").tobytes()
                    media.append(hashlib.sha256(content).hexdigest())
        found[f"{name}/{config}/{split}"] = {"ids": rows["question_id"][:], "media": media}
    print(json.dumps(found))
"""


def loaded(python: str, wanted: Sequence[Table], hub: Hub, home: Path) -> dict[Table, dict[str, Any]]:
    """Returns the ids of each table, and checksums of what the last row shows; one process loads them all."""
    done = subprocess.run(
        [
            python,
            "-c",
            textwrap.dedent(LOADING).replace("AS_FILES", AS_FILES),
            json.dumps(wanted),
            json.dumps(variables(hub, home)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    return {table: found["/".join(table)] for table in wanted}


def expected(path: Path, locate: Callable[[str], Path]) -> dict[str, Any]:
    """Returns the same of a table of prepared data, whose pictures and videos lie where `locate` says."""
    rows = tables.read_rows(path)
    media = []
    for url in checksums.urls_of(rows[-1]):
        there = locate(url)
        content = there.read_bytes() if there.suffix == ".mp4" else open_image(there, url).tobytes()
        media.append(hashlib.sha256(content).hexdigest())
    return {"ids": [row["question_id"] for row in rows], "media": media}
