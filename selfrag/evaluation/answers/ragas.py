"""The four measures of RAGAS, from what a judge found: arithmetic, and nothing else.

The definitions are those of Es, James, Espinosa-Anke and Schockaert 2023, "RAGAS: Automated
Evaluation of Retrieval Augmented Generation" (arXiv:2309.15217), for faithfulness and answer
relevancy, and of the documentation of RAGAS (docs.ragas.io, "Available metrics") for context
precision and context recall. Each gives a number from 0 to 1, or None where a denominator is zero:
there is nothing to measure then, which is not the same as measuring nothing.
"""

from collections.abc import Sequence

import numpy as np


def faithfulness(backed: Sequence[bool]) -> float | None:
    """Statements of the answer that the contexts back, of all its statements: ``|V| / |S|``.

    Args:
        backed: one for each statement.

    >>> faithfulness([True, False, True, True])
    0.75
    >>> faithfulness([]) is None
    True
    """
    return _share(backed)


def answer_relevancy(
    question: Sequence[float], generated: Sequence[Sequence[float]], *, noncommittal: bool = False
) -> float | None:
    """How near the question is to questions made from the answer: ``1/n * sum(cos(q, q_i))``.

    An answer that commits itself to nothing ("I don't know") gets 0, as in RAGAS' own
    implementation. A mean below zero, which cosines allow, is 0: the measure ends there.

    Args:
        question: the embedding of the question that was asked.
        generated: those of the questions that were made from the answer.

    >>> answer_relevancy([1.0, 0.0], [[2.0, 0.0], [3.0, 4.0]])
    0.8
    >>> answer_relevancy([1.0, 0.0], [], noncommittal=True)
    0.0
    """
    if noncommittal:
        return 0.0
    if not generated:
        return None
    asked, made = np.asarray(question, dtype=float), np.asarray(generated, dtype=float)
    lengths = np.linalg.norm(made, axis=1) * np.linalg.norm(asked)
    if not np.all(lengths):
        return None
    return float(np.clip(np.mean(made @ asked / lengths), 0.0, 1.0))


def context_precision(relevant: Sequence[bool]) -> float | None:
    """Whether the contexts that help stand first: the mean of precision@k over those that help.

    ``sum(precision@k * v_k) / sum(v_k)`` with ``v_k`` 1 where the context at rank k helps to
    arrive at the ground truth. RAGAS' implementation gives 0 where none helps; here it is not
    defined, as the formula has it.

    Args:
        relevant: one for each context, in the order in which they were given.

    >>> round(context_precision([True, False, True]), 4)  # (1/1 + 2/3) / 2
    0.8333
    >>> context_precision([False, True])
    0.5
    """
    found = 0
    total = 0.0
    for rank, helps in enumerate(relevant, start=1):
        if helps:
            found += 1
            total += found / rank
    return total / found if found else None


def context_recall(attributable: Sequence[bool]) -> float | None:
    """Statements of the ground truth that the contexts hold, of all its statements.

    Args:
        attributable: one for each statement.

    >>> context_recall([True, True, False])  # doctest: +ELLIPSIS
    0.666...
    """
    return _share(attributable)


def _share(found: Sequence[bool]) -> float | None:
    return sum(found) / len(found) if found else None
