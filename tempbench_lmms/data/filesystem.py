"""`tempbench://` as an fsspec file system, registered through the entry-point group `fsspec.specs`.

It lets a task's YAML name data whose location is known only on the user's machine, and lets `datasets`,
pandas and others read the same URLs.

It is the local file system under a second name (`local_file` stays true). `datasets` treats every other file
system as remote: it copies its files into a cache, and refuses to read them if HF_HUB_OFFLINE is set, as on
many clusters.
"""

from typing import Any

from fsspec.implementations.local import LocalFileSystem
from fsspec.utils import stringify_path

from tempbench_lmms.data import roots


class TempbenchFileSystem(LocalFileSystem):  # type: ignore[misc]
    """Resolves `tempbench://` URLs and is a local file system otherwise."""

    # The same URL points elsewhere when TEMPBENCH_DATA changes.
    cachable = False

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        if isinstance(path, (list, tuple)):
            return [cls._strip_protocol(one) for one in path]
        path = stringify_path(path)
        if path.startswith(roots.SCHEME):
            rest = path.removeprefix(roots.SCHEME)
            # `datasets` puts the scheme in front of the absolute paths that a glob found.
            path = rest if rest.startswith("/") else str(roots.resolve(path))
        return super()._strip_protocol(path)
