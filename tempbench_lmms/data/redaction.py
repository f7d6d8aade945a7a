"""Keeps credentials out of all output: arguments, and texts that may quote them.

Only values known to be harmless are shown; everything else is replaced by a hash, because a list of secret
names would always miss one. Runs with different values still differ. The hash is slow, so nobody with the
results can try many values.
"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from urllib.parse import quote, quote_plus, unquote

HIDDEN = "hidden:"
"""What precedes the hash of a value that may be a secret, in files and lines."""
# Arguments of the harness's and our runners that select a model and its settings.
_CLEAR = re.compile(
    r"pretrained|model|model_version|model_name|model_id|path|peft|delta|engine|tokenizer|revision"
    r"|subfolder|base_url|api_base|azure_endpoint|api_version|backend|device|device_map|dtype"
    r"|torch_dtype|quantization|attn_implementation|load_format|kv_cache_dtype|conv_template|conv_mode"
    r"|prompt_template|chat_template|video_decode_backend|sampling_strategy|mm_spatial_pool_mode"
    r"|mm_resampler_type|reasoning_effort|output_path"
)
# Arguments whose values are JSON objects of numbers.
_OF_NUMBERS = frozenset(("limit_mm_per_prompt", "mm_processor_kwargs", "media_io_kwargs"))
_SECRET = re.compile(r"key|token$|secret|passw|pwd|credential|auth|bearer|cookie|private", re.IGNORECASE)
_IN_OBJECTS = (
    "image|video|audio|fps|size|height|width|num_crops|(?:min|max|num)_(?:pixels|frames)"
    "|(?:short|long)est_edge"
)
# A number of tokens, and no token: max_new_tokens has an "s"; these end in "token".
_COUNT = re.compile(r"(?:per|max|min|n|num)_token$", re.IGNORECASE)
# A number too long for a setting may be a password under an unexpected name.
_PLAIN = re.compile(
    r"[-+]?[0-9]{0,7}(?:\.[0-9]{0,7})?(?:e[-+]?[0-9]{1,3})?|[-+]?(?:inf|nan)|true|false|none|auto|",
    re.IGNORECASE,
)
_OBJECT = re.compile(rf'\{{(?:[\s{{}},:]|"(?:{_IN_OBJECTS})"|(?<![\w.])(?i:{_PLAIN.pattern})(?![\w.]))*\}}')
_NAME = re.compile(r"\s*-{0,2}[A-Za-z_][A-Za-z0-9_.-]{0,60}\s*")
_OPTION = re.compile(r"--[a-z][a-z_-]{0,40}")
# Names of models, files and settings: nothing in which an argument or a header could hide.
_WORD = re.compile(r"[\w./\\:~+-]*(?:@[\w.+-]+)?")
_URL = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]{0,20}://)(?:.*@)?"
    r"(?P<host>[\w.-]*(?::[0-9]{1,5})?|\[[0-9a-f:]+\](?::[0-9]{1,5})?)(?P<path>/.*)?",
    re.I | re.S,
)
# Words of endpoints' paths; a gateway may have its token in the path.
_OF_A_PATH = re.compile(
    r"|v[0-9]{1,2}(?:alpha|beta)?[0-9]?|api|openai|inference|chat|completions|models|compatible-mode"
)
# Environment variables with keys, such as OPENAI_API_KEY, HF_TOKEN, AWS_BEARER_TOKEN_BEDROCK, FAL_KEY.
_VARIABLE = re.compile(
    r"(?:^|_)(?:api)?(?:key|token|secret|password|passwd|pwd|credentials?|auth|bearer|cookie)s?(?:_|$)",
    re.IGNORECASE,
)
_PASSWORD = re.compile(r"://[^/@\s]*?:([^/@\s]+)@")
_OF_A_FILE = re.compile(r"_(?:PATH|FILE|DIR|HOME)$", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:API_(?:BASE|URL)|BASE_URL|ENDPOINT|JUDGE_URL|PROXY)$", re.IGNORECASE)
_SHORTEST, _SHORTEST_KEY, _PIECE = 4, 6, 8
# Keys of common services, whoever's they are.
_SHAPES = (
    r"\b(?:sk-[\w-]{20,}|(?:hf|gsk|gh[pousr]|github_pat)_\w{20,}|(?:nvapi|xai)-[\w-]{20,}|AIza[\w-]{30,}"
    r"|AKIA[0-9A-Z]{16}\b)"
)
_LIKE_A_KEY = re.compile(rf"(?=.*[0-9])(?=.*[A-Za-z])\S{{{_PIECE},}}|(?=.*[A-Za-z])\S{{20,}}")


def without_secrets(arguments: str) -> str:
    """Returns arguments, `name=value` separated by commas, with a hash for every value that may be secret.

    >>> without_secrets("model=a/b,max_new_tokens=4,base_url=http://me:pw@host/v1")
    'model=a/b,max_new_tokens=4,base_url=http://host/v1'
    >>> without_secrets("api_key=sk-1").startswith("api_key=hidden")
    True
    """
    found = [*parts(arguments)]
    # A number without a name among others is the rest of a value that contained a comma.
    return ",".join(_shown(one) if "=" in one or found == [one] else _hashed(one) for one in found)


def hidden(given: Sequence[str], shown: Sequence[str]) -> str | None:
    """Returns one hash over all arguments if some are not shown, else None."""
    if list(given) == list(shown):
        return None
    return _hashed("\0".join(given), 32)


def note(*arguments: str) -> None:
    """Registers arguments of this process, `name=value` separated by commas, for `hide` and `scrubbed`."""
    _noted.update(dict.fromkeys(arguments))


def hide(text: str) -> str:
    """Returns any text, such as a model's reply, without the keys of this process.

    Keys are values of registered arguments and of environment variables that look like keys (letters and
    digits, or twenty characters), so no word of a reply is lost. The first eight characters are enough.
    """
    return _sought(tuple(_noted), _variables(), False).sub("***", text)


def scrubbed(text: str, arguments: Iterable[str] = ()) -> str:
    """Returns a failure message without anything that `without_secrets` would hide.

    >>> scrubbed("401 for http://me:pa55@host", ["base_url=http://me:pa55@host/v1"])
    '401 for http://me:***@host'
    """
    return _sought((*_noted, *arguments), _variables(), True).sub("***", text)


_noted: dict[str, None] = {}


def _variables() -> tuple[str, ...]:
    """Returns the environment's secrets and addresses as arguments, whichever runner reads them."""
    found = []
    for name, value in os.environ.items():
        if _ADDRESS.search(name) or _PASSWORD.search(value):
            found.append(f"base_url={value}")
        elif (
            _VARIABLE.search(name)
            and not _OF_A_FILE.search(name)
            and not _PLAIN.fullmatch(value.strip())
            and not os.path.exists(value)
        ):
            found.append(f"key={value}")
    return tuple(found)


@lru_cache(maxsize=8)
def _sought(arguments: tuple[str, ...], variables: tuple[str, ...], everything: bool) -> re.Pattern[str]:
    """Returns a pattern for keys, as they are, in URLs and in JSON, and for what has the shape of a key."""
    found: dict[str, str] = {}
    for part in (*(part for given in arguments for part in parts(given)), *variables):
        for piece in _hidden(part, everything):
            raw = piece.encode(errors="surrogatepass")
            forms = {piece, quote(raw), quote(raw, safe=""), quote_plus(raw)}
            forms |= {json.dumps(piece)[1:-1], json.dumps(piece, ensure_ascii=False)[1:-1]}
            if is_key := bool(_LIKE_A_KEY.fullmatch(piece)) and "://" not in piece:
                # Servers shorten a key: "Incorrect API key provided: sk-1a2b3***5e6f".
                forms |= {form[:_PIECE] for form in forms}
            found |= {form: re.escape(form) + r"[\w*+/=%~-]*" * is_key for form in forms}
    return re.compile("|".join([*(found[one] for one in sorted(found, key=len, reverse=True)), _SHAPES]))


def _hidden(part: str, everything: bool) -> Iterator[str]:
    """Yields what `_shown` hides of a part: all of it, and the pieces that a message could show."""
    shown = _shown(part, lambda value: "")
    if shown == part:
        return
    name, equals, value = part.partition("=")
    bare = name.strip().lstrip("-").lower()
    if not equals or not shown.startswith(f"{name}="):
        bare, value = "", part
    by_name, passwords = bool(_SECRET.search(bare)), {*_PASSWORD.findall(value)}
    if not (everything or by_name) and os.path.exists(value.strip()):
        return
    whole = {value.strip()} if everything or by_name else set()
    pieces = {*whole, *re.findall(r"""[^\s"'{}\[\](),:;=/?&@]+""", value)}
    for piece in pieces | set(map(unquote, pieces)):
        if piece not in shown and _is_sought(piece, by_name or piece in passwords, everything):
            yield piece


def _is_sought(piece: str, is_secret: bool, everything: bool) -> bool:
    """Returns whether a piece can be removed from a text without losing ordinary words."""
    is_word = len(piece) < _SHORTEST_KEY and piece.isalpha()  # "none", "EMPTY": for servers without keys
    if len(piece) < _SHORTEST or is_word or _OF_A_PATH.fullmatch(piece):
        return False
    if everything or _LIKE_A_KEY.fullmatch(piece):
        return True
    # A word of a reply may be a dummy key ("ollama") or part of an address.
    shortest = _PIECE if piece.isdigit() else _SHORTEST_KEY
    return is_secret and len(piece) >= shortest and any(one.isdigit() or one == " " for one in piece)


@lru_cache(maxsize=256)
def _hashed(value: str, length: int = 12) -> str:
    found = hashlib.scrypt(value.encode(errors="surrogatepass"), salt=b"tempbench", n=2**12, r=8, p=1)
    return f"{HIDDEN}{found.hex()[:length]}"


def _shown(part: str, hashed: Callable[[str], str] = _hashed) -> str:
    """Returns an argument with everything not known to be harmless replaced by `hashed`."""
    name, equals, value = part.partition("=")
    bare = name.strip().lstrip("-").lower()
    if not equals:
        # An option's name or value; in a list of arguments, the rest of a value.
        harmless = _OPTION.fullmatch(part) or _PLAIN.fullmatch(part.strip()) or not part.strip()
        return part if harmless else hashed(part)
    if not _NAME.fullmatch(name) or not value.strip("= "):  # "Zm9v==" is a value, and no name
        return hashed(part)
    if _CLEAR.fullmatch(bare):
        return f"{name}={_clear(value, hashed)}"
    if bare in _OF_NUMBERS and _OBJECT.fullmatch(value):
        return part
    is_no_secret = _COUNT.search(bare) or not _SECRET.search(bare)
    return f"{name}={value if is_no_secret and _PLAIN.fullmatch(value.strip()) else hashed(value)}"


def _clear(value: str, hashed: Callable[[str], str]) -> str:
    """Returns the value of an argument that selects a model or setting, if it has the expected form."""
    if "://" in value:
        found = _URL.fullmatch(value.strip())
        if not found:
            return hashed(value)
        places = re.split(r"[?#;]", found["path"] or "", maxsplit=1)[0].split("/")
        path = "/".join(one if _OF_A_PATH.fullmatch(one) else hashed(one) for one in places)
        return f"{found['scheme']}{found['host']}{path}"
    return value if _WORD.fullmatch(value.strip()) else hashed(value)


def parts(arguments: str) -> Iterable[str]:
    """Splits at commas outside quotes and brackets; at all commas if these do not close."""
    found, depth, quote, start = [], 0, "", 0
    for index, character in enumerate(arguments):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "[{(":
            depth += 1
        elif character in "]})":
            depth -= 1
        elif character == "," and not depth:
            found.append(arguments[start:index])
            start = index + 1
        if depth < 0:
            return arguments.split(",")
    return arguments.split(",") if quote or depth else [*found, arguments[start:]]
