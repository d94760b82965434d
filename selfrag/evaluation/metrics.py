"""How good ranked lists are, query by query; computed by ir-measures.

Every judged query counts: one for which nothing was found has 0, as trec_eval -c has it.
"""

from collections.abc import Mapping, Sequence
from statistics import fmean

import ir_measures

#: The measures of tables here, in ir-measures' notation.
MEASURES = ("nDCG@10", "R@100", "RR@10")

Values = dict[str, dict[str, float]]


def per_query(
    qrels: Mapping[str, Mapping[str, int]],
    rankings: Mapping[str, Sequence[str]],
    measures: Sequence[str] = MEASURES,
) -> Values:
    """Measure -> query id -> value, 0 to 1, for every query that ``qrels`` judge.

    Args:
        qrels: query id -> document id -> grade.
        rankings: query id -> document ids, best first, none twice.
        measures: in ir-measures' notation.
    """
    parsed = {ir_measures.parse_measure(name): name for name in measures}
    # Falling scores say the order: equal ones would be put in an order of ir-measures' own.
    run = {
        query: {document: float(len(ranked) - place) for place, document in enumerate(ranked)}
        for query, ranked in rankings.items()
        # ir-measures divides by the length of a list; what is not there has 0 below.
        if query in qrels and ranked
    }
    values: Values = {name: dict.fromkeys(qrels, 0.0) for name in measures}
    for metric in ir_measures.iter_calc(list(parsed), qrels, run):
        values[parsed[metric.measure]][metric.query_id] = float(metric.value)
    return values


def means(values: Values) -> dict[str, float | None]:
    """Measure -> mean over the queries; None, which is not 0, where there are none."""
    return {name: fmean(each.values()) if each else None for name, each in values.items()}
