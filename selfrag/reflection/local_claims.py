"""A statement weighed without a language model: supported, or not enough evidence.

Comparing words and meanings shows what speaks of the same thing, not what contradicts it, so the
verdict is never "refuted". A sentence counts for the statement only where no figure or name of it
is missing and neither is negated; the others are what the answer quotes, and the person decides.
"""

from collections.abc import Sequence

from selfrag.models.backing import BACKED, Backing, back
from selfrag.models.calibration import Calibration
from selfrag.models.evidence import EvidenceReader, candidates_of
from selfrag.models.features import language_of
from selfrag.reflection.answer_claims import split_statements
from selfrag.reflection.grades import Evidence, Support, Verdict, VerdictGrade
from selfrag.reflection.local_support import quoted_claim
from selfrag.reflection.roles import Passage

CANNOT_REFUTE = "Without a language model it cannot be seen whether a sentence contradicts it."
_COLUMN = {name: column for column, name in enumerate(BACKED)}


def weigh_claim(
    statement: str, passages: Sequence[Passage], reader: EvidenceReader, fitted: Calibration
) -> VerdictGrade:
    """Supported where every sentence of the statement is; the probability is of the weakest."""
    language = language_of(statement, [p.text for p in passages])
    candidates = candidates_of([p.text for p in passages], language)
    evidence: list[Evidence] = []
    sure: list[float] = []
    for part in split_statements(statement):
        quoted = quoted_claim(part, passages)
        if quoted is not None and quoted.document is not None and quoted.quote:
            evidence.append(Evidence(quoted.document, quoted.quote))
            sure.append(1.0)
            continue
        backing = back(part.text, candidates, language, reader)
        if backing is None:
            sure.append(0.0)
            continue
        if not _says_the_same(backing):
            sure.append(0.0)
            continue
        best = candidates[backing.best]
        source = passages[best.passage]
        quote = source.text[best.sentence.start : best.sentence.end]
        evidence.append(Evidence(source.number, quote))
        sure.append(float(fitted.fully_backed.probability(backing.features)))
    if sure and min(sure) >= fitted.fully_backed_from:
        return VerdictGrade(
            Verdict.SUPPORTED,
            f"{Support.FULLY.value.replace('_', ' ').capitalize()} by the sentences below.",
            tuple(dict.fromkeys(evidence)),
            round(min(sure), 3),
        )
    return VerdictGrade(Verdict.NOT_ENOUGH, CANNOT_REFUTE, tuple(dict.fromkeys(evidence)))


def _says_the_same(backing: Backing) -> bool:
    """No figure or name is missing, and neither side is negated or turned against the other."""
    features = backing.features
    return bool(
        features[_COLUMN["figures"]] == 1
        and features[_COLUMN["names"]] == 1
        and not features[_COLUMN["negated"]]
        and not features[_COLUMN["turned"]]
    )
