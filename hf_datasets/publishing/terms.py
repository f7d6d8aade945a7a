"""Decides by licences whether prepared data may be published, stored privately, or neither."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tempbench_lmms import benchmarks
from tempbench_lmms.card import Source
from tempbench_lmms.errors import TempbenchError

from .facts import sources_of

_OPEN = re.compile(r"(?i)(cc0|cc-by|mit|apache-2\.0|odc|odbl|pddl)[a-z0-9.-]*")
_UNSTATED = "not stated"
_OWN_URL = "the publisher's own"


@dataclass(frozen=True)
class Terms:
    """The licences of prepared data."""

    benchmark: str
    sources: tuple[Source, ...]

    def check(self, private: bool) -> None:
        """Checks that a copy may be put on the Hub."""
        for source in self.sources:
            if source.licence == _UNSTATED:
                raise TempbenchError(
                    f"{self.benchmark}: {source.name} states no licence ({source.url}), so not even a "
                    "private copy is allowed; prepare the data without it"
                )
        closed = [source for source in self.sources if not source.redistributable]
        if closed and not private:
            # A licence that allows copies of what it covers is fine; the part that it does not cover is the
            # problem.
            blocking = [one for one in closed if one.withheld or not _OPEN.fullmatch(one.licence)] or closed
            reasons = ", ".join(f"{source.name}: {source.withheld or source.licence}" for source in blocking)
            raise TempbenchError(
                f"{self.benchmark}: no public copy is allowed ({reasons}); add --private for a repository "
                "that only you can see"
            )

    def on_the_hub(self) -> dict[str, str]:
        """Returns the licence in the form of the Hub's cards."""
        names = {source.licence for source in self.sources}
        (name,) = names if len(names) == 1 else ("see sources",)
        if _OPEN.fullmatch(name):
            return {"license": name.lower()}
        return {"license": "other", "license_name": re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-")}


def terms_of(benchmark: str, manifest: Mapping[str, Any], own_licence: str | None) -> Terms:
    """Returns the licences of the sources that prepared data holds."""
    names, own = sources_of(benchmark, manifest)
    if own and not own_licence:
        raise TempbenchError(
            f"{benchmark} holds {own[0]}; give its licence with --license, such as cc-by-4.0"
        )
    if own_licence and not own:
        raise TempbenchError(f"{benchmark}: --license is only for your own data, and there is none")
    if own_licence and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.+-]{1,40}", own_licence):
        raise TempbenchError(f"--license {own_licence!r} is not a licence identifier such as cc-by-4.0")
    known = {source.name: source for source in benchmarks.card(benchmark).sources}
    if not names and not own:
        names = list(known)  # its content is unknown
    mine: Sequence[Source] = [Source(words, _OWN_URL, own_licence or "", True) for words in own]
    return Terms(benchmark, (*(known[name] for name in names), *mine))
