"""The plotting library inside the page, as published: see docs/decisions/plotting_library.md."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from tempbench_lmms.errors import TempbenchError

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Library:
    """A file of an npm package, byte for byte.

    Attributes:
        package: Its name on npm.
        version: Its version.
        licence: SPDX identifier; its words stand in `notice`.
        path: Of the file inside the package.
        file: Its name here.
        notice: The file here with the licence.
        sha256: Of the file.
    """

    package: str
    version: str
    licence: str
    path: str
    file: str
    notice: str
    sha256: str

    def text(self) -> str:
        """Returns the script.

        Raises:
            TempbenchError: The file is not the published one.
        """
        content = (HERE / self.file).read_bytes()
        if hashlib.sha256(content).hexdigest() != self.sha256:
            raise TempbenchError(f"{HERE / self.file} was changed; install tempbench-lmms again")
        return content.decode("utf-8")


LIBRARIES = (
    Library(
        package="d3",
        version="7.9.2",
        licence="ISC",
        path="dist/d3.min.js",
        file="d3.min.js",
        notice="LICENSE-d3",
        sha256="912111098ea99503a6f4967361d2bbdc9dbf58cf9c678c8e27e5b02d1a07f0c1",
    ),
    Library(
        package="@observablehq/plot",
        version="0.6.17",
        licence="ISC",
        path="dist/plot.umd.min.js",
        file="plot.umd.min.js",
        notice="LICENSE-plot",
        sha256="4358086467740777dd788d6b27a95cebdbaefdd50c730a3060117073bd7134cb",
    ),
)
"""In the order in which a page must run them."""

STYLE = """:where(.plot) {
  --plot-background: white;
  display: block;
  height: auto;
  height: intrinsic;
  max-width: 100%;
}
:where(.plot text),
:where(.plot tspan) {
  white-space: pre;
}"""
"""What Plot puts into a `<style>` of each picture of the class `plot`; the page's policy has its hash."""
