"""Keeps credentials out of what is written: state, answer cache, report, Hub entries.

What is known to be harmless is written in clear, everything else as a hash: a list of names that sound
secret would always miss one, and two runs with different values stay two.
"""

import hashlib
import re
from collections.abc import Iterator

# Arguments of the harness's runners, and of ours, that say which model runs and how.
_CLEAR = frozenset(
    (
        *(
            "pretrained",
            "model",
            "model_version",
            "model_name",
            "model_id",
            "path",
            "peft",
            "delta",
            "engine",
        ),
        *("tokenizer", "revision", "subfolder", "base_url", "api_base", "azure_endpoint", "api_version"),
        *("backend", "device", "device_map", "dtype", "torch_dtype", "attn_implementation", "quantization"),
        *("load_format", "kv_cache_dtype", "conv_template", "conv_mode", "prompt_template", "chat_template"),
        *("video_decode_backend", "sampling_strategy", "mm_spatial_pool_mode", "mm_resampler_type"),
        *("reasoning_effort", "limit_mm_per_prompt", "mm_processor_kwargs", "media_io_kwargs"),
        "media",
    )
)
_SECRET = re.compile(r"key|token$|secret|passw|pwd|credential|auth|bearer|cookie|private", re.IGNORECASE)
# A number of tokens, and no token: max_new_tokens has an "s"; these end in "token".
_COUNT = re.compile(r"(?:per|max|min|n|num)_token$", re.IGNORECASE)
# Numbers too long for a setting may be a password under a name that nobody thought of.
_PLAIN = re.compile(
    r"[-+]?[0-9]{0,7}(?:\.[0-9]{0,7})?(?:e[-+]?[0-9]{1,3})?|true|false|none|auto", re.IGNORECASE
)
_IN_URL = re.compile(r"(?<=://)[^/@\s]*@|\?.*", re.DOTALL)


def without_secrets(arguments: str) -> str:
    """Returns arguments, `name=value` separated by commas, with every value that may be secret as its hash.

    >>> without_secrets("model=a/b,max_new_tokens=4,base_url=http://me:pw@host/v1")
    'model=a/b,max_new_tokens=4,base_url=http://host/v1'
    >>> without_secrets("api_key=sk-1")
    'api_key=sha256:0f2c10bf3d12'
    """
    return ",".join(map(_shown, _parts(arguments)))


def _shown(part: str) -> str:
    name, equals, value = part.partition("=")
    bare = name.strip().lstrip("-").lower()
    if not equals:
        # An option's name, or the value of one; in a list of arguments it is the rest of a value.
        harmless = part.startswith("--") or _PLAIN.fullmatch(part.strip()) or not part.strip()
        return part if harmless else _hashed(part)
    if bare in _CLEAR:
        return f"{name}={_IN_URL.sub('', value) if '://' in value else value}"
    may_be_shown = _COUNT.search(bare) or not _SECRET.search(bare)
    return f"{name}={value if may_be_shown and _PLAIN.fullmatch(value.strip()) else _hashed(value)}"


def _hashed(value: str) -> str:
    return f"sha256:{hashlib.sha256(value.encode(errors='surrogatepass')).hexdigest()[:12]}"


def _parts(arguments: str) -> Iterator[str]:
    """Yields what commas separate, outside of quotes and brackets."""
    depth, quote, start = 0, "", 0
    for index, character in enumerate(arguments):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "[{(":
            depth += 1
        elif character in "]})":
            depth = max(0, depth - 1)
        elif character == "," and not depth:
            yield arguments[start:index]
            start = index + 1
    yield arguments[start:]
