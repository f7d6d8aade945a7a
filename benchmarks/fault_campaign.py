"""Random plans of faults over six commands, each to end in the same numbers or in one clear refusal.

A plan is a command (`run`, `prepare`, `score`, `rescore`, `report`, `submit`) in one of its forms, a folder
that is new, half done or finished, one to three faults over one to three starts, and then one ordinary start
without a fault. A start with a fault must give the numbers of an undisturbed start, or say in one line why it
does not (status not 0, no traceback); it may change nothing but its own output. The last start must give the
same numbers, and ask no question again whose answer was stored. A respondent whose reply depends on every
text and picture of its question stands in for the model: numbers of mixed or stale data are other numbers.

The harness is imported once and every start is a fork. A full disk is a small tmpfs
in a mount namespace of this process; where the system allows none, a limit on the size of every file
(RLIMIT_FSIZE). A changed clock is changed in the fork alone, with the times of the files that it wrote.
"""

import argparse
import functools
import os
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from faults.forms import (
    ARGUMENT,
    CLOCK,
    DAMAGE,
    FAULTS,
    LOST,
    REPLACED,
    SLICE,
    TWO,
    Fault,
    Form,
    Plan,
    forms,
    plan_of,
)
from faults.starts import SECONDS, Start, import_all, refusal, wait
from faults.world import World, copy, moved_by, tree

from tempbench_lmms.report.numbers import DAMAGED, UNFINISHED


@dataclass
class Verdict:
    """What came of a plan: what was wrong, who refused, and what was printed where no line says why."""

    plan: Plan
    wrong: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)

    @property
    def said(self) -> str:
        """In words."""
        return "wrong" if self.wrong else "refused" if self.refusals else "same numbers"


class Trial:
    """A plan that is carried out."""

    def __init__(self, world: World, plan: Plan) -> None:
        self.world, self.plan, self.form = world, plan, plan.form
        self.verdict = Verdict(plan)
        self.stored: set[str] = set()
        self.may_ask_again = 0
        self.foreign = False  # whether other arguments or data may have had the folder

    def carry_out(self) -> Verdict:
        """Carries it out and returns what came of it."""
        world, form = self.world, self.form
        world.changes(form)
        kinds = {fault.kind for faults in self.plan.starts for fault in faults}
        # What is made in the folder of the plan is made before it begins.
        if LOST in kinds:
            world.changes(next(one for one in forms() if one.command == "run"))
        if REPLACED in kinds and "log" in form.replaced:
            world.other_run()
        accepted = [self._accepted(faults) for faults in self.plan.starts]
        self.expected = world.undisturbed(form)
        world.begin(form, self.plan.begins)
        for faults, allowed in zip(self.plan.starts, accepted, strict=True):
            self._start(faults, allowed)
        self._end()
        return self.verdict

    def _accepted(self, faults: Sequence[Fault]) -> list[Any]:
        """Returns the numbers that a start may give: what it was asked for, on the data that lay there."""
        world, form = self.world, self.form
        changed, replaced = self._changes_of(faults)
        found = [world.undisturbed(form)]
        whole = replaced in ("home", "source", "answers") and (
            form.command in ("run", "prepare", "score") or replaced == "answers"
        )
        if changed or whole:
            found.append(world.undisturbed(form, changed, replaced if whole else ""))
        if TWO in [fault.kind for fault in faults] and form.command in ("run", "score", "prepare"):
            other = "home" if "home" in form.replaced else "source" if form.command == "prepare" else ""
            found += [world.undisturbed(form, changed, other)] if other else []
            if form.command == "prepare":
                found.append(world.undisturbed(form, self._partner_words(changed or form.arguments)))
        return [one for one in found if one is not None]

    def _changes_of(self, faults: Sequence[Fault]) -> tuple[list[str] | None, str]:
        """Returns the changed arguments of a start, and what is replaced before it."""
        form, changed, replaced = self.form, None, ""
        for fault in faults:
            draw = fault.draw()
            if fault.kind == ARGUMENT:
                old, new = draw.choice(form.changed)
                words = [word.replace(old, new) if old else word for word in form.arguments]
                changed = [word for word in words if word] + ([] if old else new.split())
            elif fault.kind == REPLACED:
                replaced = draw.choice(form.replaced)
        return changed, replaced

    def _partner_words(self, words: Sequence[str]) -> list[str]:
        other = [word.replace("@/source", "@/other") for word in words]
        return other if "--force" in other else [*other, "--force"]

    def _start(self, faults: Sequence[Fault], accepted: Sequence[Any]) -> None:
        """Carries out one disturbed start, and takes the faults away."""
        world, form, kinds = self.world, self.form, {fault.kind: fault for fault in faults}
        changed, replaced = self._changes_of(faults)
        self.foreign |= bool(changed or replaced)
        if replaced:
            world.replace(replaced)
        repair = self._damage(kinds[DAMAGE]) if DAMAGE in kinds else lambda: None
        if LOST in kinds and form.command != "run":
            self._leave_lost_run(kinds[LOST])
        inputs = tree(world.plan, *form.inputs)
        whole = tree(world.plan, form.output) if self._is_whole(changed or form.arguments, kinds) else None
        words = changed or list(form.arguments)
        if LOST in kinds and form.command == "run":
            starts = self._ranks(words, faults)
        else:
            starts = [world.start(words, functools.partial(self._arm, faults))]
        partner = self._partner(kinds[TWO], words, starts[0]) if TWO in kinds else None
        wait(starts, together=True)
        if partner:
            wait([partner])
        world.disk.empty()
        if CLOCK in kinds:
            self._shift_times(kinds[CLOCK], starts[0].began)
        self.words = words
        self._judge(starts, partner, accepted)
        forced = partner is not None and self.partner_replaces
        if not forced and tree(world.plan, *form.inputs) != inputs:
            self.verdict.wrong.append(
                f"it changed what it reads: {_differing(inputs, tree(world.plan, *form.inputs))}"
            )
        if whole is not None and not forced and tree(world.plan, form.output) != whole:
            self.verdict.wrong.append("prepared data was changed without --force")
        self._take_away(repair)

    def _is_whole(self, words: Sequence[str], kinds: Mapping[str, Fault]) -> bool:
        """Whether this start must leave prepared data alone: it is finished, and no --force is given."""
        first = self.plan.begins == "finished" and not self.foreign | (DAMAGE in kinds)
        return self.form.command == "prepare" and first and "--force" not in words

    def _take_away(self, repair: Callable[[], None]) -> None:
        form = self.form
        repair()
        for part in form.inputs:
            if part != "run" or form.command not in ("rescore", "report", "submit"):
                self.world.restore(part)
        if "run" in form.inputs:
            if self.lost:
                self.world.restore("home")  # a run that goes on refuses other data
                self.world.done(next(one for one in forms() if one.command == "run").arguments)
                self.lost = False
            else:
                self.world.restore("run")

    lost = False
    partner_replaces = False

    def _leave_lost_run(self, fault: Fault) -> None:
        """Puts the folder of a run of two processes that has lost one in place of the finished one."""
        self.lost = True
        run = next(form for form in forms() if form.command == "run")
        shutil.rmtree(self.world.plan / "run")
        wait(self._ranks(run.arguments, [fault], run), together=True)

    def _arm(self, faults: Sequence[Fault], form: Form | None = None, rank: int | None = None) -> None:
        for fault in faults:
            n_processes = 1 if rank is None else 2
            if fault.kind != LOST or rank == fault.seed % 2:
                self.world.arm(form or self.form, fault, n_processes)

    def _ranks(self, words: Sequence[str], faults: Sequence[Fault], form: Form | None = None) -> list[Start]:
        """Starts a run of two processes, as `torchrun` does."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        common = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": "2"}
        return [
            self.world.start(
                words,
                functools.partial(self._arm, faults, form, rank),
                common | {"RANK": str(rank), "LOCAL_RANK": str(rank), "LOCAL_WORLD_SIZE": "2"},
            )
            for rank in range(2)
        ]

    def _partner(self, fault: Fault, words: Sequence[str], first: Start) -> Start:
        """Starts a second command while the first one is on: the same, or one that makes the data anew."""
        file = self.world.kept / "signal"
        deadline = time.monotonic() + SECONDS
        while not file.exists() and not first.ended() and time.monotonic() < deadline:
            time.sleep(0.002)
        file.unlink(missing_ok=True)
        self.partner_replaces = fault.seed % 2 == 1 and self.form.command != "submit"
        if self.partner_replaces:
            if self.form.command == "prepare":
                return self.world.start(self._partner_words(words))
            return self.world.start(["prepare", "mateo", "--from", "@/other/mateo", "--force"])
        return self.world.start(words)

    def _damage(self, fault: Fault) -> Callable[[], None]:
        """Damages a file; returns what repairs it where no command has made it anew."""
        draw, plan = fault.draw(), self.world.plan
        parts = [*self.form.inputs, *([self.form.output] if self.form.command in ("run", "prepare") else [])]
        files = [path for part in parts for path in sorted((plan / part).rglob("*")) if self._matters(path)]
        kinds = sorted({path.suffix for path in files})
        suffix = draw.choice(kinds)
        path = draw.choice([path for path in files if path.suffix == suffix])
        content, status = path.read_bytes(), path.stat()
        self.damaged = str(path.relative_to(plan))
        how = draw.choice(("cut in half", "emptied", "a byte changed", "zeros", "removed"))
        damaged = bytearray(content)
        place = draw.randrange(len(content))
        if how == "cut in half":
            del damaged[len(content) // 2 :]
        elif how == "emptied":
            damaged.clear()
        elif how == "zeros":
            damaged[place : place + 100] = bytes(len(damaged[place : place + 100]))
        elif how == "a byte changed":
            damaged[place] ^= 1 << draw.randrange(8)
        self.damaged += f" {how}"
        if how == "removed":
            path.unlink()
        else:
            path.write_bytes(damaged)
        self.may_ask_again += 10**6 if "cache" in path.parts else 0
        self.foreign |= self.form.command == "prepare"  # nobody can tell a damaged source from another one

        def repair() -> None:
            found = path.read_bytes() if path.is_file() else None
            if found == (None if how == "removed" else bytes(damaged)) and path.parent.is_dir():
                path.write_bytes(content)
                os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

        return repair

    damaged = ""
    words: Sequence[str] = ()

    def _matters(self, path: Path) -> bool:
        """Whether the form reads a file."""
        if not path.is_file() or not path.stat().st_size or path.name in (".lock", "report.html"):
            return False
        parts = path.relative_to(self.world.plan).parts
        if self.form.command in ("prepare", "score") and parts[0] in ("source", "other"):
            return parts[0] == "source" and parts[1] == self.form.name
        if self.form.command == "score":
            return self.form.name == "mateo" or parts[0] == "answers"
        return True

    def _shift_times(self, fault: Fault, began: int) -> None:
        """Gives files that were written after the clock was changed the times of that clock."""
        file = self.world.kept / "clock"
        if not file.exists():
            return
        since, moved = max(began, file.stat().st_mtime_ns), int(moved_by(fault) * 1e9)
        file.unlink()
        for path in self.world.plan.rglob("*"):
            status = path.stat()
            if path.is_file() and status.st_mtime_ns >= since:
                os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + moved))

    def _judge(self, starts: Sequence[Start], partner: Start | None, accepted: Sequence[Any]) -> None:
        """Judges a disturbed start, and the command that ran at the same time."""
        for start in starts:
            self.stored |= set(start.asked)
        self.may_ask_again += SLICE * len(starts)
        if any(start.late for start in [*starts, *([partner] if partner else [])]):
            self.verdict.wrong.append(f"it did not end in {SECONDS} s")
            return
        if partner and partner.status:
            self._refused(partner, "the second command: ")
        failed = [start for start in starts if start.status and not start.ended_by_us]
        if any(start.status == -signal.SIGKILL for start in failed):
            return
        if failed:
            # One of several processes says why, and may have been ended with the others after it.
            self._refused(next((start for start in starts if start.status and not refusal(start)), failed[0]))
            if partner and partner.status == 0 and not self.partner_replaces:
                self._compare(partner, accepted)
            return
        self._compare(starts[0], accepted)

    def _refused(self, start: Start, who: str = "") -> None:
        if why := refusal(start):
            self.verdict.wrong.append(f"{who}{why}")
            self.verdict.outputs.append(start.printed[-2000:] + start.errors[-6000:])
        else:
            line = [line for line in start.errors.splitlines() if line.strip()][-1]
            self.verdict.refusals.append(f"{who}{line}".replace(str(self.world.plan), "@"))

    def _compare(self, start: Start, accepted: Sequence[Any]) -> None:
        try:
            found = self.world.outcome(self.form, start)
        except (OSError, ValueError, KeyError, TypeError) as error:
            self.verdict.wrong.append(f"status 0, but {error!r}")
            return
        if found not in accepted and not self._is_marked() and not self._right_of_damaged_source(found):
            self.verdict.wrong.append(f"other numbers: {_differing(accepted[0], found)}")

    def _is_marked(self) -> bool:
        """Returns whether a report says in each table that a run is damaged or unfinished."""
        if self.form.command != "report":
            return False
        text = (self.world.plan / self.form.output).read_text(encoding="utf-8", errors="replace")
        return any(mark in text for mark in (UNFINISHED, DAMAGED))

    def _right_of_damaged_source(self, found: Any) -> bool:
        """Whether numbers are right for a source, or answers: nobody can tell damage from content there."""
        if self.form.command not in ("prepare", "score") or not self.damaged.startswith(
            ("source", "answers")
        ):
            return False
        parts = ("source", "answers")
        lies, aside = self.world.plan, self.world.kept / "aside"
        copy(lies, aside)
        self.world.begin(self.form, "new")
        for part in parts:
            copy(aside / part, lies / part)
        start = self.world.start(self.words)
        wait([start])
        right = start.status == 0 and self.world.outcome(self.form, start) == found
        self.world.fresh()
        for kept in aside.iterdir():
            copy(kept, lies / kept.name)
        return right

    def _end(self) -> None:
        """The ordinary start, after all faults."""
        world, form = self.world, self.form
        world.disk.empty()
        words = list(form.arguments)
        start = world.start(words)
        wait([start])
        two = TWO in [fault.kind for faults in self.plan.starts for fault in faults]
        if start.status and form.command == "prepare" and "--force" in start.errors and self.foreign | two:
            # Other data may be there by right: a start with other arguments was asked for it.
            start = world.start([*words, "--force"])
            wait([start])
        new = form.command == "run" and self.plan.begins == "new" and self.foreign
        if start.status and new and "belongs to a run that differs in" in start.errors:
            # The first start that got as far as to take the folder had other arguments, or data.
            shutil.rmtree(world.plan / form.output)
            self.stored.clear()  # with the folder
            start = world.start(words)
            wait([start])
        if start.late:
            self.verdict.wrong.append(f"the last start did not end in {SECONDS} s")
        elif start.status:
            last = start.errors.strip().splitlines()[-1:] or [""]
            self.verdict.wrong.append(f"the last start: status {start.status}, {last[0][:300]}")
        else:
            before = len(self.verdict.wrong)
            self._compare(start, [self.expected])
            self.verdict.wrong[before:] = [f"the last start: {one}" for one in self.verdict.wrong[before:]]
            again = len(self.stored & set(start.asked))
            if again > self.may_ask_again:
                self.verdict.wrong.append(f"the last start asked {again} questions again")


def _differing(one: Any, other: Any, path: str = "") -> str:
    """Returns the first place in which two outcomes differ."""
    if isinstance(one, list) and isinstance(other, list):
        one, other = dict(enumerate(one)), dict(enumerate(other))
    if isinstance(one, dict) and isinstance(other, dict):
        for key in [*one, *(key for key in other if key not in one)]:
            if one.get(key) != other.get(key):
                return _differing(one.get(key), other.get(key), f"{path}/{key}")
    if isinstance(one, str) and isinstance(other, str):
        place = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
        one, other = one[max(0, place - 20) :], other[max(0, place - 20) :]
    return f"{path}: {str(one)[:80]!r} is {str(other)[:80]!r}"


def table(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Yields a line per fault: its plans, and what came of them."""
    for kind in FAULTS:
        of_kind = [
            one for one in verdicts if kind in {fault.kind for start in one.plan.starts for fault in start}
        ]
        said = Counter(one.said for one in of_kind)
        counts = ", ".join(f"{said[one]} {one}" for one in ("same numbers", "refused", "wrong"))
        yield f"{kind}: {len(of_kind)} plans, {counts}"


def campaign(numbers: Iterable[int], seed: int, show: Callable[[Verdict], None]) -> list[Verdict]:
    """Carries out plans and returns what came of them."""
    import_all()
    verdicts = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(HF_HUB_OFFLINE="1", HF_HOME=f"{folder}/hf", HOME=f"{folder}/user")
        Path(folder, "user").mkdir()
        world = World(Path(folder))
        print(f"full disk: {world.disk.how}", flush=True)
        try:
            for number in numbers:
                verdicts.append(Trial(world, plan_of(number, seed)).carry_out())
                show(verdicts[-1])
        finally:
            world.disk.leave()
    return verdicts


def main() -> None:
    """Prints each plan that went wrong, and the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--count", type=int, default=100, help="number of plans")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--only", type=int, nargs="+", metavar="N", help="these plans alone")
    options.add_argument("--verbose", action="store_true", help="print every plan and every refusal")
    given = options.parse_args()

    def show(verdict: Verdict) -> None:
        if verdict.wrong or given.verbose:
            print(f"{verdict.said}: {verdict.plan}", flush=True)
            for line in verdict.wrong:
                print(f"    wrong: {line}", flush=True)
            for line in verdict.refusals:
                print(f"    refused: {line}", flush=True)
            for text in verdict.outputs if given.verbose else ():
                print(text, flush=True)

    verdicts = campaign(given.only or range(given.count), given.seed, show)
    wrong = [verdict.plan.number for verdict in verdicts if verdict.wrong]
    for line in table(verdicts):
        print(line)
    if wrong:
        replay = f"--seed {given.seed} --only {' '.join(map(str, wrong))}"
        print(f"{len(wrong)} plans went wrong; replay them with {replay}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
