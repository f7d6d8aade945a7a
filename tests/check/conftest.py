import functools
from unittest import mock

import pytest

from tempbench_lmms.check import probes, procedure, questions
from tempbench_lmms.runs import selftest

SMALL = functools.partial(mock.patch.object, probes, "_SIDE_OF_FRAMES", 112)
"""Videos of a quarter of the pixels: to write them is most of what a check costs without a model."""


@pytest.fixture(autouse=True)
def _small_frames():
    """For what a test draws itself; the models of test_architectures.py are shown videos as large as ever."""
    with SMALL():
        yield


@pytest.fixture(scope="session")
def drawn(tmp_path_factory):
    """The questions of a seed, each drawn once."""

    @functools.cache
    def inside(seed):
        with SMALL():
            return procedure.drawn(procedure.Plan(seed=seed, n_pictures=8, kinds=()), folder(seed))[0]

    @functools.cache
    def outside(seed):
        with SMALL():
            return probes.outside(seed, folder(seed))

    def folder(seed):
        return tmp_path_factory.mktemp(f"seed{seed}")

    def make(seed=0, with_questions=False):
        plan = procedure.Plan(seed=seed, n_pictures=8, kinds=tuple(questions.KINDS) if with_questions else ())
        return plan, inside(seed), outside(seed) if with_questions else []

    return make


@pytest.fixture(scope="session")
def check(drawn):
    """Checks a model that sees through planted faults; each question is rendered once."""
    rendered = functools.cache(procedure.rendered)

    def make(name="", seed=0, shows=True, with_questions=False):
        plan, inside, outside = drawn(seed, with_questions)
        return procedure.checked(selftest.seeing(name, shows, rendered), plan, inside, outside)

    return make
