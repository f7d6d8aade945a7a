"""What is known of one answered question, and metrics over such records."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from tempbench_lmms.metrics.ratio import Ratio, standard_error
from tempbench_lmms.metrics.statistic import Statistic

Record = dict[str, Any]
"""What is known of one answered question: JSON values only. Every benchmark's record has `id`, `parsed` and
`failed`; metrics read the rest."""

Metric = Callable[[Sequence[Record]], Ratio | Statistic | int]
"""A metric over records: a `Ratio`, another function of sums, or a count."""

UNDEFINED = "-"
"""How a metric is shown that nothing was there to divide by."""


def evaluate(metric: Metric, records: Sequence[Record]) -> float:
    """Returns a metric's value; NaN where it is undefined."""
    result = metric(records)
    return result if isinstance(result, int) else result.value


def evaluate_error(metric: Metric, records: Sequence[Record]) -> float:
    """Returns a metric's standard error; NaN where it is undefined, and for counts."""
    result = metric(records)
    if isinstance(result, Statistic):
        return result.standard_error()
    return standard_error(result) if isinstance(result, Ratio) else math.nan
