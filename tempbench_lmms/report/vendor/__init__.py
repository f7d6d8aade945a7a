"""The plotting library inside the page, as published: see docs/decisions/plotting_library.md."""

from pathlib import Path

HERE = Path(__file__).parent
FILES = ("d3.min.js", "plot.umd.min.js")
"""d3 7.9.2 and @observablehq/plot 0.6.17, both ISC, in the order in which a page must run them."""

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
