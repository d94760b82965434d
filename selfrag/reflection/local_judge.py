"""The judge that works without a language model: calibrated scores, and a reason for each.

It compares words and meanings (``selfrag.models.evidence``); it does not read. Its
probabilities are fitted on labelled questions and claims and reported on others, and each
thought names the evidence: the words shared, and the closest sentence. Passages are only ever
compared, so nothing that stands in one can tell it what to decide.
"""

import math
from collections.abc import Sequence

from selfrag.models.answerability import answerable_features, relevance_features
from selfrag.models.backing import back
from selfrag.models.cues import Kind, gives
from selfrag.models.evidence import Evidence, EvidenceReader, candidates_of, reader_for
from selfrag.models.features import Candidate, language_of
from selfrag.models.overview import asks_for_overview
from selfrag.models.packaged import Encoder
from selfrag.models.words import listed
from selfrag.reflection.answer_claims import Statement, split_statements
from selfrag.reflection.chat_judge import label_of
from selfrag.reflection.context import without_marks
from selfrag.reflection.extractive_writer import NO_PASSAGES, NOTHING_LEFT
from selfrag.reflection.follow_up import complete
from selfrag.reflection.grades import (
    LIKELY,
    MISSES,
    Claim,
    Critique,
    RelevanceGrade,
    RetrievalDecision,
    Rewrite,
    Support,
    SupportGrade,
    UsefulnessGrade,
    VerdictGrade,
)
from selfrag.reflection.local_claims import weigh_claim
from selfrag.reflection.local_rewrites import next_query
from selfrag.reflection.local_support import quoted_claim
from selfrag.reflection.local_thoughts import (
    POSSIBLY,
    backing_rows,
    how_likely,
    left_open,
    quoted_rows,
    repeated_rows,
    share_left_out,
    uncovered,
    why_relevant,
)
from selfrag.reflection.roles import Passage, Turn
from selfrag.reflection.small_talk import small_talk
from selfrag.wording import count

NAME = "local judge (words and meanings compared, no language model)"
PARTLY = 3  #: score of an answer to a part of the question
#: Share of the question's weight from which an answer without it, that is not probably right, is
#: one to a part only. With the check of the kind of answer below, of 2,090 labelled cases 117 wrong
#: answers are no longer called useful, and 46 right ones.
MAIN_PART = 0.3
WITHOUT_IT = 0.6  #: probability from which it is one to the whole all the same
#: Probability from which an answer without a name or a date is believed to be one: "who" may ask
#: for an office and "when" for an event. A number is always missed.
SURE = 0.7


class LocalJudge:
    """Implements ``selfrag.reflection.roles.Judge``. Deterministic; may be shared by threads.

    Args:
        evidence: the reader that the writer of the same run uses, or the packaged embeddings,
            whose reader is then shared.
        useful_from: score, 1 to 5, from which an answer counts as useful.
    """

    name = NAME
    is_language_model = False

    def __init__(self, evidence: EvidenceReader | Encoder, *, useful_from: int = 4) -> None:
        shared = evidence if isinstance(evidence, EvidenceReader) else reader_for(evidence)
        self._reader = shared
        self._fitted = shared.calibration
        self._useful_from = useful_from

    def decide_retrieval(self, question: str) -> RetrievalDecision:
        """Look in the documents, unless the whole question is small talk or a sum."""
        kind = small_talk(question)
        if kind:
            return RetrievalDecision(False, f"This is {kind}: the documents are not needed.")
        return RetrievalDecision(True, "The documents may answer this.")

    def grade_relevance(self, question: str, passages: Sequence[Passage]) -> list[RelevanceGrade]:
        """The calibrated probability that each passage holds the answer."""
        if not passages:
            return []
        if asks_for_overview(question):
            return [RelevanceGrade(True, "The question asks for an overview.") for _ in passages]
        evidence = self._reader.grade(question, [p.text for p in passages])
        probabilities = self._fitted.relevant.probability(relevance_features(evidence))
        return [
            RelevanceGrade(
                bool(p >= self._fitted.relevant_from),
                why_relevant(evidence, number),
                round(float(p), 3),
            )
            for number, p in enumerate(probabilities)
        ]

    def grade_support(
        self, question: str, answer: str, passages: Sequence[Passage]
    ) -> SupportGrade:
        """Every sentence of the answer is a claim.

        A claim that stands in a passage word for word is fully supported by it. Another one is
        graded by the fitted probabilities, against the best of all sentences.
        """
        if not passages or _is_notice(answer):
            return SupportGrade(Support.NOT_APPLICABLE, "there is no claim to check")
        statements = split_statements(answer)
        language = language_of(question, [p.text for p in passages])
        candidates = candidates_of([p.text for p in passages], language)
        graded = [self._claim(s, passages, candidates, language) for s in statements]
        claims = tuple(claim for claim, _ in graded)
        label = label_of(claims)
        quoted = sum(certain is None for _, certain in graded)
        sure = [1.0 if certain is None else certain for _, certain in graded]
        return SupportGrade(
            label,
            f"{quoted} of {count(len(claims), 'claim')} {'stands' if quoted == 1 else 'stand'} "
            "word for word in the documents.",
            claims,
            round(min(sure), 3) if sure and label is not Support.PARTIALLY else None,
        )

    def grade_usefulness(
        self, question: str, answer: str, passages: Sequence[Passage]
    ) -> UsefulnessGrade:
        """The calibrated probability that the sentences behind the answer answer the question.

        They are seen among all passages that were graded for it, as a sentence that answers
        stands out from those that don't: judging by the relevant ones alone, the AUC on
        held-out questions falls from 0.955 to 0.926 (XQuAD, English).
        Without passages there is nothing to compare, and no grade is given: that is no error.
        """
        if _is_notice(answer) and passages:
            return UsefulnessGrade(False, 1, "The documents hold nothing more.", "an answer")
        if not passages:
            return UsefulnessGrade(None, thought="There are no documents to judge it by.")
        if asks_for_overview(question):
            return UsefulnessGrade(
                None,
                error="an overview can only be judged by a language model",
            )
        evidence = self._reader.read_among_graded(question, [p.text for p in passages])
        rows = quoted_rows(evidence, answer)
        if not rows:
            claims = self.grade_support(question, answer, passages).claims
            rows = _in_own_words(evidence, answer, claims)
        features = answerable_features(evidence, self._fitted.relevant, rows)
        p = float(self._fitted.answerable.probability(features))
        missing = uncovered(evidence, answer)
        if not rows:
            thought = "None of the sentences that could answer is behind this answer."
            return UsefulnessGrade(False, self._score(0.0), thought, ", ".join(missing))
        open_ = left_open(question, answer)
        told = list(dict.fromkeys([*missing, *open_]))
        lacking = f"; it does not mention {listed(told)}" if told else ""
        score, kind, answer_text = self._score(p), evidence.asked.kind, without_marks(answer)
        given = gives(answer_text, kind, question)
        if (p < SURE or kind is Kind.NUMBER) and not given:
            score = min(score, MISSES if p < SURE else PARTLY)
            return UsefulnessGrade(
                score >= self._useful_from,
                score,
                f"The question asks for {kind}, and the answer gives none.",
                ", ".join(missing),
            )
        if p < WITHOUT_IT and share_left_out(evidence, answer, rows) >= MAIN_PART:
            score = min(score, PARTLY)
        thought = f"{how_likely(p, question)} ({p:.0%}){lacking}."
        useful, sure = score >= self._useful_from, p >= LIKELY and not open_ and given
        return UsefulnessGrade(
            useful,
            score,
            thought,
            # What is complete lacks nothing: an answer need not repeat the question.
            "" if useful and sure else ", ".join(missing),
            probability=round(p, 3),
            perhaps=useful and not sure,
        )

    def rewrite(
        self, question: str, tried: Sequence[str], missing: str, passages: Sequence[Passage]
    ) -> Rewrite:
        """The key words; then those with words that the closest sentences add."""
        evidence = self._read(question, passages)
        return next_query(evidence, question, tried, missing)

    def critique(self, question: str, answer: str, passages: Sequence[Passage]) -> Critique:
        """Passed where the answer is backed, wholly or in part, and answers the question."""
        if not passages:
            return Critique(None, error="Without documents the local judge can't tell.")
        support = self.grade_support(question, answer, passages)
        useful = self.grade_usefulness(question, answer, passages)
        if support.label is Support.NOT:
            return Critique(False, support.thought)
        if useful.useful is False:
            return Critique(False, useful.thought)
        return Critique(True, useful.thought or support.thought)

    def grade_claim(self, statement: str, passages: Sequence[Passage]) -> VerdictGrade:
        """Supported or refuted where a sentence says so, or the opposite, in nearly its words."""
        return weigh_claim(statement, passages)

    def complete(self, question: str, history: Sequence[Turn]) -> Rewrite:
        """A question that points back is put behind the one before it."""
        return complete(question, history)

    def _read(self, question: str, passages: Sequence[Passage]) -> Evidence:
        return self._reader.read(question, [p.text for p in passages])

    def _score(self, p: float) -> int:
        useful = self._fitted.useful_from
        if p >= useful:
            return 5 if p >= max(LIKELY, useful) else 4
        if p >= POSSIBLY:
            return PARTLY
        return MISSES if p >= 0.5 * useful else 1

    def _claim(
        self,
        statement: Statement,
        passages: Sequence[Passage],
        candidates: Sequence[Candidate],
        language: str,
    ) -> tuple[Claim, float | None]:
        """The claim, and the probability of its grade; None where it is quoted."""
        quoted = quoted_claim(statement, passages)
        if quoted is not None:
            return quoted, None
        backing = back(statement.text, candidates, language, self._reader)
        if backing is None:
            return Claim(statement.text, Support.NOT), 1.0
        fully = float(self._fitted.fully_backed.probability(backing.features))
        partly = max(fully, float(self._fitted.backed.probability(backing.features)))
        if partly < self._fitted.backed_from:
            return Claim(statement.text, Support.NOT), 1 - partly
        best = candidates[backing.best]
        source = passages[best.passage]
        support = Support.FULLY if fully >= self._fitted.fully_backed_from else Support.PARTIALLY
        return (
            Claim(
                statement.text,
                support,
                source.number,
                source.text[best.sentence.start : best.sentence.end],
            ),
            fully if support is Support.FULLY else partly,
        )


def _is_notice(answer: str) -> bool:
    return answer.strip() in (NO_PASSAGES, NOTHING_LEFT)


def _in_own_words(evidence: Evidence, answer: str, claims: Sequence[Claim]) -> list[int]:
    """Rows of the sentences that the answer tells in other words, best first.

    None where another sentence is ten times as likely to answer as the best of them: a writer
    that quotes takes the best ones, and a language model may have told of any.
    """
    rows = repeated_rows(evidence, answer) or backing_rows(evidence, claims)
    near = rows and evidence.scores[rows].max() >= evidence.scores.max() - math.log(10)
    return rows if near else []
