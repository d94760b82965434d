"""A decision model as judge: every grade with a probability, all documents in one request.

It gives no prose. What needs words (another query, a follow-up question made self-contained) is
asked of another judge; the quote that backs a statement is the sentence of the chosen document
that is nearest to it, so that it is always really there.
"""

from collections.abc import Mapping, Sequence

from selfrag.errors import ModelError
from selfrag.models.decisions import YES, Asked, DecisionModel, Told
from selfrag.models.sentences import split_sentences
from selfrag.models.usage import UsageLedger
from selfrag.models.words import guess_language, words
from selfrag.reflection import prompts
from selfrag.reflection.answer_claims import Statement, split_statements
from selfrag.reflection.chat_judge import label_of
from selfrag.reflection.cleaning import clean_question, clean_text, escape
from selfrag.reflection.context import format_context
from selfrag.reflection.grades import (
    LIKELY,
    Claim,
    Critique,
    Evidence,
    RelevanceGrade,
    RetrievalDecision,
    Rewrite,
    Support,
    SupportGrade,
    UsefulnessGrade,
    Verdict,
    VerdictGrade,
)
from selfrag.reflection.local_support import quoted_claim
from selfrag.reflection.roles import Judge, Passage, Turn

_SUPPORT = {
    Support.FULLY.value: "a document says the whole statement",
    Support.PARTIALLY.value: "a document says a part of it",
    Support.NOT.value: "no document says it",
}
_USEFUL = {
    "1": "off the subject, or says that it does not know",
    "2": "on the subject, but does not answer",
    "3": "acceptable, but something major is missing",
    "4": "mostly answers it, with small gaps",
    "5": "complete, detailed and to the point",
}
_VERDICT = {
    Verdict.SUPPORTED.value: "the whole statement is backed",
    Verdict.REFUTED.value: "a part of it is contradicted",
    Verdict.NOT_ENOUGH.value: "neither",
}
_STANCE = {"for": "it says so", "against": "it contradicts it", "neither": "it does not tell"}
_STATEMENTS = 20  #: of one answer that are asked about; more are left as not checked
_REFUSED = "The model declined to judge this."


class DecisionJudge:
    """Implements ``selfrag.reflection.roles.Judge``. Cheap to make: one for each run.

    No method raises for an answer that can't be used: the grade carries ``error`` instead.

    Args:
        model: see `selfrag.models.decisions`.
        words: asked for what needs words.
        useful_from: score, 1 to 5, from which an answer counts as useful.
    """

    is_language_model = True

    def __init__(
        self, model: DecisionModel, words: Judge, ledger: UsageLedger, *, useful_from: int = 4
    ) -> None:
        self.name = f"{model.name} (decisions)"
        self._model = model
        self._words = words
        self._ledger = ledger
        self._useful_from = useful_from

    def decide_retrieval(self, question: str) -> RetrievalDecision:
        """Does the question need the documents? Yes where the decision could not be had."""
        prompt = prompts.load("decision_retrieve", question=_line(question))
        try:
            told = self._ask(prompt.user, {"look": Asked(prompt.system)}, "retrieval_decision")
        except ModelError as error:
            return RetrievalDecision(True, "", _unless_fatal(error))
        p = _of(told["look"], YES)
        if p is None:
            return RetrievalDecision(True, "", _REFUSED)
        return RetrievalDecision(p >= 0.5, f"Needed with a probability of {p:.0%}.", None, p)

    def grade_relevance(self, question: str, passages: Sequence[Passage]) -> list[RelevanceGrade]:
        """One grade for each passage, with its probability, in one request."""
        if not passages:
            return []
        values = {"context": format_context(passages), "question": _line(question)}
        asked = {
            f"document_{passage.number}": Asked(
                prompts.load("decision_relevance", number=str(passage.number), **values).system
            )
            for passage in passages
        }
        text = prompts.load("decision_relevance", number="", **values).user
        try:
            told = self._ask(text, asked, "relevance")
        except ModelError as error:
            return [RelevanceGrade(None, error=_unless_fatal(error)) for _ in passages]
        return [_relevance(_of(told[name], YES)) for name in asked]

    def grade_support(
        self, question: str, answer: str, passages: Sequence[Passage]
    ) -> SupportGrade:
        """Is every statement backed, and by which document? The label follows from them.

        The probability is that of the least certain statement.
        """
        statements = split_statements(answer)[:_STATEMENTS]
        if not passages or not statements:
            return SupportGrade(Support.NOT_APPLICABLE)
        listed = "\n".join(
            f"{number}. {escape(clean_text(statement.text))}"
            for number, statement in enumerate(statements, start=1)
        )
        values = {
            "context": format_context(passages),
            "question": _line(question),
            "answer": listed,
        }
        sources = {"none": "no document backs it"} | {
            str(passage.number): f"document {passage.number}" for passage in passages
        }
        asked: dict[str, Asked] = {}
        for number in range(1, len(statements) + 1):
            for name, options in (("support", _SUPPORT), ("source", sources)):
                prompt = prompts.load(f"decision_{name}", number=str(number), **values)
                asked[f"{name}_{number}"] = Asked(prompt.system, options)
        text = prompts.load("decision_support", number="", **values).user
        try:
            told = self._ask(text, asked, "support")
        except ModelError as error:
            return SupportGrade(Support.UNKNOWN, error=_unless_fatal(error))
        claims = tuple(
            _claim(statement, told[f"support_{number}"], told[f"source_{number}"], passages)
            for number, statement in enumerate(statements, start=1)
        )
        if any(claim.support is Support.UNKNOWN for claim in claims):
            return SupportGrade(Support.UNKNOWN, claims=claims, error=_REFUSED)
        sure = [claim.probability for claim in claims if claim.probability is not None]
        return SupportGrade(label_of(claims), "", claims, min(sure) if sure else None)

    def grade_usefulness(
        self, question: str, answer: str, passages: Sequence[Passage]
    ) -> UsefulnessGrade:
        """The expected level, rounded, and the probability of being useful.

        What is missing isn't told: the next query is written from the question alone.
        """
        prompt = prompts.load(
            "decision_useful", question=_line(question), answer=escape(clean_text(answer).strip())
        )
        asked = {"useful": Asked(prompt.system, _USEFUL, ordered=True)}
        try:
            told = self._ask(prompt.user, asked, "usefulness")["useful"]
        except ModelError as error:
            return UsefulnessGrade(None, error=_unless_fatal(error))
        if told is None:
            return UsefulnessGrade(None, error=_REFUSED)
        expected = sum(int(level) * p for level, p in told.items())
        useful = sum(p for level, p in told.items() if int(level) >= self._useful_from)
        score = min(5, max(1, round(expected)))
        return UsefulnessGrade(
            score >= self._useful_from,
            score,
            f"Expected level {expected:.1f} of 5; useful with a probability of {useful:.0%}.",
            probability=round(min(1.0, useful), 4),
            perhaps=score >= self._useful_from and useful < LIKELY,
        )

    def rewrite(
        self, question: str, tried: Sequence[str], missing: str, passages: Sequence[Passage]
    ) -> Rewrite:
        """Asked of the judge that has words."""
        return self._words.rewrite(question, tried, missing, passages)

    def critique(self, question: str, answer: str, passages: Sequence[Passage]) -> Critique:
        """Passed where every statement has some backing and the answer is useful.

        What is wrong is told in the answer's own words: its statements without backing.
        """
        support = self.grade_support(question, answer, passages)
        useful = self.grade_usefulness(question, answer, passages)
        if support.error or useful.error:
            return Critique(None, error=support.error or useful.error)
        if support.unsupported:
            return Critique(False, " ".join(support.unsupported))
        return Critique(useful.useful is True, useful.thought)

    def grade_claim(self, statement: str, passages: Sequence[Passage]) -> VerdictGrade:
        """The verdict, and of each document whether it speaks for or against, in one request."""
        values = {"context": format_context(passages), "question": _line(statement)}
        prompt = prompts.load("decision_claim", **values)
        asked = {"verdict": Asked(prompt.system, _VERDICT)}
        for passage in passages:
            number = str(passage.number)
            rules = prompts.load("decision_stance", number=number, **values).system
            asked[f"stance_{number}"] = Asked(rules, _STANCE)
        try:
            told = self._ask(prompt.user, asked, "claim_verdict")
        except ModelError as error:
            return VerdictGrade(None, error=_unless_fatal(error))
        best = _likeliest(told["verdict"])
        if best is None:
            return VerdictGrade(None, error=_REFUSED)
        evidence = []
        for passage in passages:
            stance = _likeliest(told[f"stance_{passage.number}"])
            quote = nearest_sentence(statement, passage)
            if stance and stance[0] != "neither" and quote:
                evidence.append(Evidence(passage.number, quote, stance[0] == "against"))
        return VerdictGrade(Verdict(best[0]), "", tuple(evidence), best[1])

    def complete(self, question: str, history: Sequence[Turn]) -> Rewrite:
        """Asked of the judge that has words."""
        return self._words.complete(question, history)

    def _ask(self, text: str, asked: Mapping[str, Asked], step: str) -> Mapping[str, Told]:
        return self._model.decide(text, asked, step, self._ledger)


def nearest_sentence(statement: str, passage: Passage) -> str | None:
    """The sentence of the passage that shares most words with the statement, or None."""
    text = clean_text(passage.text)
    language = guess_language(text)
    wanted = {word.key for word in words(statement, language)}
    best, most = None, 0.0
    for sentence in split_sentences(text):
        keys = {word.key for word in words(sentence.text, language)}
        # The longer of two with the same words says it less plainly.
        shared = len(wanted & keys) - 0.01 * len(keys)
        if wanted & keys and shared > most:
            best, most = text[sentence.start : sentence.end], shared
    return best


def _claim(statement: Statement, support: Told, source: Told, passages: Sequence[Passage]) -> Claim:
    best = _likeliest(support)
    if best is None:
        return Claim(statement.text, Support.UNKNOWN)
    label, probability = Support(best[0]), best[1]
    if label is Support.NOT:
        return Claim(statement.text, label, probability=probability)
    number = _likeliest(source)
    chosen = [p for p in passages if number is not None and str(p.number) == number[0]]
    quoted = quoted_claim(statement, chosen)
    quote = (
        quoted.quote if quoted else nearest_sentence(statement.text, chosen[0]) if chosen else ""
    )
    if not chosen or not quote:
        return Claim(statement.text, Support.NOT, probability=probability)
    return Claim(statement.text, label, chosen[0].number, quote, probability)


def _relevance(p: float | None) -> RelevanceGrade:
    if p is None:
        return RelevanceGrade(None, error=_REFUSED)
    return RelevanceGrade(p >= 0.5, f"Relevant with a probability of {p:.0%}.", p)


def _likeliest(told: Told) -> tuple[str, float] | None:
    return max(told.items(), key=lambda item: item[1]) if told else None


def _of(told: Told, value: str) -> float | None:
    return told.get(value) if told else None


def _line(question: str) -> str:
    return escape(clean_question(question))


def _unless_fatal(error: ModelError) -> str:
    if error.fatal:
        raise error
    return str(error)
