"""Downloads from the Hub: what a server sends is checked, and what goes wrong is reported in one line.

The client itself refuses files that a repository names outside its folder.
"""

import contextlib
import re
from collections.abc import Iterator
from typing import Any

from tempbench_lmms.data.checks import one_line
from tempbench_lmms.errors import TempbenchError


@contextlib.contextmanager
def downloading(repository: str) -> Iterator[None]:
    """Turns every error of a download into one line.

    Raises:
        TempbenchError: The Hub cannot be reached, or has not what was asked for.
    """
    try:
        yield
    except TempbenchError:
        raise
    except Exception as error:  # the client raises its own, httpx's and Python's errors
        raise TempbenchError(
            f"{repository} cannot be downloaded ({one_line(str(error) or repr(error))}); check the network, "
            "HF_ENDPOINT and HF_HUB_OFFLINE, or download it elsewhere and give its folder with --source"
        ) from None


def dataset_info(repository: str, revision: str = "main") -> Any:
    """Returns what the Hub says of a data set; its `sha` is a commit.

    Raises:
        TempbenchError: The server names no commit. The client would make a path of it, wherever it leads.
    """
    from huggingface_hub import HfApi

    info = HfApi().dataset_info(repository, revision=revision)
    if not re.fullmatch(r"[0-9a-f]{40,64}", str(info.sha)):
        raise TempbenchError(
            f"{repository}: the server did not send a commit id ({str(info.sha)[:80]!r}); check HF_ENDPOINT"
        )
    return info
