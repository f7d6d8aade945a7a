import functools

import pytest

from tempbench_lmms.check import course
from tests.check import planted


@pytest.fixture(scope="session")
def drawn(tmp_path_factory):
    """The questions of a seed, drawn once."""

    @functools.cache
    def make(seed=0):
        plan = course.Plan(seed=seed, n_pictures=8)
        return plan, *course.drawn(plan, tmp_path_factory.mktemp(f"seed{seed}"))

    return make


@pytest.fixture(scope="session")
def check(drawn):
    """Checks through planted faults, and returns the check; each question is rendered once."""
    rendered = {}

    def make(faults=(), seed=0, shows=True, with_questions=False):
        plan, inside, outside = drawn(seed)
        outside = outside if with_questions else []
        plan = course.Plan(
            seed=seed, kinds=plan.kinds if with_questions else (), blind="" if shows else "far away"
        )
        for probe in [*inside, *outside]:
            if probe.name not in rendered:
                rendered[probe.name] = planted.rendered(probe)
        return course.checked(planted.asker(rendered, faults, shows=shows), plan, inside, outside)

    return make
