"""What identifies a run: its data, model and code.

Two starts belong to one run if all of this is equal. Content counts: the rows of a task in order, the bytes
of their media, all arguments, a local model's files, the endpoint. Of a value that may be a secret, such as
an API key, there is only a hash: it shows that the value changed, and nobody can read the value from it. So
all of this can be stored in the run's folder, and sent to the other processes (`harness.ranks`).
"""

import contextlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from tempbench_lmms import __version__, benchmarks
from tempbench_lmms.card import home
from tempbench_lmms.data import provenance, tables
from tempbench_lmms.data.checksums import digest, digest_of_rows, urls_of
from tempbench_lmms.data.redaction import hidden, parts, without_secrets
from tempbench_lmms.errors import TempbenchError
from tempbench_lmms.harness import media_hooks
from tempbench_lmms.harness.adapter import true_within
from tempbench_lmms.harness.tasks import kwargs_of, media_of, root_of, task_files

# Arguments of the harness's runners that name a model or a part of one, possibly a local path.
_WEIGHTS = """
    pretrained model model_path model_name model_id model_base path peft delta adapter lora lora_path
    checkpoint weights engine tokenizer processor model_name_or_path vision_tower mm_projector draft_model
"""
# Environment variables of the harness's runners that select the endpoint or change the pictures.
_ENVIRONMENT = """
    OPENAI_API_BASE OPENAI_BASE_URL OPENAI_API_URL OPENAI_API_VERSION API_TYPE API_VERSION AZURE_ENDPOINT
    AZURE_OPENAI_ENDPOINT AZURE_OPENAI_API_BASE AZURE_OPENAI_API_VERSION AZURE_API_VERSION
    ANTHROPIC_API_URL ANTHROPIC_BASE_URL AWS_REGION DASHSCOPE_HTTP_BASE_URL LMMS_IMAGE_ENCODE_FORMAT
    LMMS_IMAGE_JPEG_QUALITY LMMS_VIDEO_DECODE_BACKEND VIDEO_RESIZE VIDEO_MINRES VIDEO_MAXRES MINRES MAXRES
    LOWRES_RESIZE HIGHRES_BASE FORCE_NO_DOWNSAMPLE
"""
# The packages that runners use to compute replies or, under these names, to ask a server. Packages
# that prepare pictures always count.
_COMPUTES = """
    torch torchvision transformers tokenizers peft timm bitsandbytes flash-attn vllm sglang decord
    qwen-vl-utils
"""
_ASKS = "openai anthropic litellm dashscope google-genai"
_REMOTE = re.compile("openai|gpt4|litellm|gemini|claude|reka|_api")
_PREPARES = "pillow av"
# A model's settings files: small, and often of equal size.
_SETTINGS = (".json", ".jinja", ".yaml", ".yml", ".txt", ".py", ".model")
_PACKAGE = Path(__file__).parents[1]
_NO_WEIGHTS = {".cache", ".git", "__pycache__"}
_SETTINGS_AT_MOST = 50_000_000


def of_data(name: str, config: dict[str, Any], docs: Sequence[tables.Row]) -> dict[str, Any]:
    """Returns the identity of a task's data.

    Args:
        name: The task's name.
        config: The task.
        docs: Its documents.

    Returns:
        JSON values: `questions`, `rows` and `media`.

    Raises:
        TempbenchError: A picture or video has changed since the data was prepared.
    """
    media = media_of(config)
    urls = sorted({url for doc in docs for url in urls_of(doc)})
    if others := [url for url in urls if media.is_another(url)]:
        raise TempbenchError(
            f"{name}: {len(others)} of {len(urls)} pictures or videos have changed since they were prepared, "
            f"the first is {others[0]}; restore them, or prepare the data again with `tempbench prepare "
            f"{root_of(config)[0]}`"
        )
    return {
        "questions": len(docs),
        "rows": digest_of_rows(docs),
        "media": digest([(url, media.sha256(url)) for url in urls]),
    }


def of_texts(config: dict[str, Any], docs: Sequence[tables.Row]) -> str:
    """Returns one SHA-256 over the prompts of a task from the installed code; no media file is opened."""
    kwargs = kwargs_of(config)
    with true_within(media_hooks.UNOPENED):
        return digest([(str(doc["question_id"]), config["doc_to_text"](doc, kwargs)) for doc in docs])


def of_model(model: str, model_args: str, further: Sequence[str]) -> dict[str, Any]:
    """Returns the identity of the model and its settings.

    Args:
        model: As for the harness's `--model`.
        model_args: As for its `--model_args`.
        further: Its other arguments.

    Returns:
        JSON values: `model`, `model_args` and `arguments` without secrets, `hidden` (one hash over all
        arguments, if these leave out a secret; else None), `endpoint` (environment variables), `weights` (of
        each local file or folder that is named: `files`, `settings` and `times`, a checksum each).

    Raises:
        TempbenchError: A file that is named cannot be read.
    """
    variables = dict(os.environ)
    with contextlib.suppress(ImportError):  # the harness adds those of `.env` later, if it can
        from dotenv import dotenv_values

        variables = {key: value for key, value in dotenv_values(".env").items() if value} | variables
    given = {name: variables[name] for name in _ENVIRONMENT.split() if variables.get(name)}
    endpoint = {name: without_secrets(f"base_url={value}").partition("=")[2] for name, value in given.items()}
    arguments = [without_secrets(word) for word in further]
    shown = without_secrets(model_args)
    return {
        "model": model,
        "model_args": shown,
        "arguments": arguments,
        "hidden": hidden([model_args, *further, *given.values()], [shown, *arguments, *endpoint.values()]),
        "endpoint": endpoint,
        "weights": dict(_weights(model_args)),
    }


def of_packages(model: str) -> dict[str, str | None]:
    """Returns the versions of the packages that a runner uses to compute replies; None for a missing package.

    A new `transformers` does not matter for a run whose server computes.
    """
    computes = _ASKS if _REMOTE.search(model) else _COMPUTES
    return {name: provenance.version(name) for name in f"{_PREPARES} {computes}".split()}


def _weights(model_args: str) -> Iterator[tuple[str, dict[str, str]]]:
    for part in parts(model_args):
        name, _, value = part.partition("=")
        path = os.path.expanduser(value.strip().strip("\"'"))
        # A folder may hold anything, such as videos; a single file is small or part of a model.
        is_weights = name.strip().lower() in _WEIGHTS.split() and os.path.exists(path)
        if path and (is_weights or os.path.isfile(path)):
            try:
                yield name.strip(), of_files(Path(path))
            except OSError as error:
                raise TempbenchError(f"{path} cannot be read ({error}); check its permissions") from None


def of_files(path: Path) -> dict[str, str]:
    """Returns checksums of a local model: of names and sizes, of settings, of modification times.

    A file named directly, such as a chat template, counts as a setting, whatever its ending.
    """
    folder = path if path.is_dir() else path.parent
    found = [file for file in sorted(path.rglob("*")) if file.is_file()] if path.is_dir() else [path]
    sizes, times, settings = {}, {}, {}
    for file in found:
        name, stat = file.relative_to(folder).as_posix(), file.stat()
        if _NO_WEIGHTS.intersection(name.split("/")):
            continue
        sizes[name], times[name] = stat.st_size, stat.st_mtime_ns
        if (file == path or file.suffix in _SETTINGS) and stat.st_size <= _SETTINGS_AT_MOST:
            settings[name] = tables.sha256_of([file])
    return {"files": digest(sizes), "settings": digest(settings), "times": digest(times)}


@lru_cache(maxsize=1)
def of_code() -> str:
    """Returns one SHA-256 over this package's code and tasks, and over the user's benchmarks."""
    # In a wheel the code that makes data is inside the package, in a checkout beside it.
    files = {
        name: path
        for name, path in provenance.named(_PACKAGE, ("**/*.py",)).items()
        if not name.startswith("hf_datasets/")
    }
    for name in benchmarks.names():
        files |= provenance.named(home(name), ("**/*.py",), f"{name}/")
    return provenance.digest_of(files | {f"{name}.yaml": path for name, path in task_files().items()})


@cache
def code_of(task: str) -> str:
    """Returns one SHA-256 over the code that makes a task's questions: prompts, hooks, media."""
    own = provenance.named(home(task_files()[task].parent.name), ("prompts.py", "hooks.py"))
    return provenance.digest_of(own | provenance.named(_PACKAGE, ("media/*.py",)))


def of_process(data: Mapping[str, Any], model: Mapping[str, Any], tasks: str) -> dict[str, Any]:
    """Returns what must be equal in every process of a run; the weights' file times may differ."""
    return {
        "tasks": tasks,
        "data": dict(data),
        **{key: model[key] for key in ("model", "model_args", "arguments", "endpoint")},
        "weights": {
            name: {key: value for key, value in one.items() if key != "times"}
            for name, one in model["weights"].items()
        },
        "packages": provenance.versions(),
        "code": of_code(),
    }


def fingerprint(model: Mapping[str, Any]) -> str:
    """Returns the part of an answer's key that identifies the model."""
    return digest([__version__, model])


_IN_WORDS = {
    "rows": "questions or their order",
    "media": "pictures or videos",
    "hidden": "arguments or endpoint (a hidden value)",
    "files": "files of the model",
    "settings": "settings files of the model",
    "times": "times of the model's files",
    "code": "code of this package",
}


def differences(earlier: Any, now: Any, name: str = "") -> list[str]:
    """Returns what differs between two identities, a few words each.

    >>> differences({"model": "a", "data": {"rows": "x"}}, {"model": "b", "data": {"rows": "y"}})
    ["model ('a', now 'b')", 'data: questions or their order']
    """
    if isinstance(earlier, dict) and isinstance(now, dict):
        return [
            f"{name}: {line}" if name else line
            for key in [*now, *(key for key in earlier if key not in now)]
            for line in differences(earlier.get(key), now.get(key), str(key))
        ]
    if earlier == now:
        return []
    if name in _IN_WORDS or isinstance(earlier, dict) or isinstance(now, dict):
        return [_IN_WORDS.get(name, name)]
    return [f"{name} ({earlier!r:.80}, now {now!r:.80})"]
