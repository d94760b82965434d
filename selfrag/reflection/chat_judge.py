"""A chat model as judge: one request for each grade, in the form of `selfrag.reflection.replies`.

Documents are graded side by side with a limit on concurrency, or in one request. The label of
support is not asked for: it follows from the claims, and a claim counts only with a quote that
is really in the document it names.
"""

from collections.abc import Sequence
from concurrent.futures import Future

from langchain_core.runnables.config import ContextThreadPoolExecutor
from langchain_openai import ChatOpenAI

from selfrag.errors import ModelError
from selfrag.models.usage import UsageLedger
from selfrag.quotes import find_quote
from selfrag.reflection import prompts
from selfrag.reflection.cleaning import clean_line, clean_question, clean_text, escape
from selfrag.reflection.context import format_context, format_history
from selfrag.reflection.grades import (
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
from selfrag.reflection.replies import (
    ClaimSupport,
    CompleteQuestion,
    CritiqueOfAnswer,
    Decision,
    NewQuery,
    Relevance,
    RelevanceOfAll,
    SupportByClaim,
    Usefulness,
    VerdictOnClaim,
)
from selfrag.reflection.roles import Passage, Turn
from selfrag.reflection.structured import ReplyT, ask

_LINE = 400  #: characters of a query or of what is missing


class ChatJudge:
    """Grades with a chat model. Cheap to make: one for each run, around a shared model.

    No method raises for a reply that can't be used: the grade carries ``error`` instead.

    Args:
        model: from `selfrag.models.chat.make_chat_model`.
        name: as shown to the person.
        ledger: of the run.
        max_concurrency: requests at once when documents are graded.
        one_request: grade all documents in one request: fewer calls, a little less exact.
        useful_from: score, 1 to 5, from which an answer counts as useful.
    """

    is_language_model = True

    def __init__(
        self,
        model: ChatOpenAI,
        name: str,
        ledger: UsageLedger,
        *,
        max_concurrency: int = 4,
        one_request: bool = False,
        useful_from: int = 4,
    ) -> None:
        self.name = name
        self._model = model
        self._ledger = ledger
        self._max_concurrency = max_concurrency
        self._one_request = one_request
        self._useful_from = useful_from

    def decide_retrieval(self, question: str) -> RetrievalDecision:
        """Does the question need the documents? Yes where the decision could not be had."""
        prompt = prompts.load("decide", question=_asked(question))
        try:
            reply = self._ask(prompt, Decision, "retrieval_decision")
        except ModelError as error:
            return RetrievalDecision(True, "", _unless_fatal(error))
        return RetrievalDecision(reply.answer == "yes", clean_line(reply.thought))

    def grade_relevance(self, question: str, passages: Sequence[Passage]) -> list[RelevanceGrade]:
        """One grade for each passage, in their order."""
        if self._one_request and len(passages) > 1:
            return self._grade_in_one_request(question, passages)
        if len(passages) <= 1:
            return [self._grade_one(question, passage) for passage in passages]
        pool = ContextThreadPoolExecutor(min(self._max_concurrency, len(passages)))
        grades: list[Future[RelevanceGrade]] = [
            pool.submit(self._grade_one, question, passage) for passage in passages
        ]
        try:
            return [grade.result() for grade in grades]
        finally:
            # Nobody waits for the others once one has ended the run.
            pool.shutdown(wait=False, cancel_futures=True)

    def _grade_one(self, question: str, passage: Passage) -> RelevanceGrade:
        prompt = prompts.load(
            "relevance", context=format_context([passage]), question=_asked(question)
        )
        try:
            reply = self._ask(prompt, Relevance, "relevance")
        except ModelError as error:
            return RelevanceGrade(None, error=_unless_fatal(error))
        return RelevanceGrade(reply.answer == "yes", clean_line(reply.thought))

    def _grade_in_one_request(
        self, question: str, passages: Sequence[Passage]
    ) -> list[RelevanceGrade]:
        prompt = prompts.load(
            "relevance_all", context=format_context(passages), question=_asked(question)
        )
        try:
            reply = self._ask(prompt, RelevanceOfAll, "relevance")
        except ModelError as error:
            return [RelevanceGrade(None, error=_unless_fatal(error)) for _ in passages]
        grades: dict[int, RelevanceGrade] = {}
        for item in reply.grades:
            grade = RelevanceGrade(item.answer == "yes", clean_line(item.thought))
            twice = grades.get(item.document, grade).relevant is not grade.relevant
            grades[item.document] = (
                RelevanceGrade(None, error=f"{self.name} graded this document both ways.")
                if twice
                else grade
            )
        absent = RelevanceGrade(None, error=f"{self.name} gave no grade for this document.")
        return [grades.get(passage.number, absent) for passage in passages]

    def grade_support(
        self, question: str, answer: str, passages: Sequence[Passage]
    ) -> SupportGrade:
        """Is every claim backed, by a quote that is really in the passage it names?

        The label is fully where all claims are, not where none is, and partially otherwise.
        It is not applicable where the answer only says that the documents do not tell.
        """
        if not passages:
            return SupportGrade(Support.NOT_APPLICABLE)
        prompt = prompts.load(
            "support",
            context=format_context(passages),
            question=_asked(question),
            answer=_quoted(answer),
        )
        try:
            reply = self._ask(prompt, SupportByClaim, "support")
        except ModelError as error:
            return SupportGrade(Support.UNKNOWN, error=_unless_fatal(error))
        claims = tuple(_check(claim, passages) for claim in reply.claims)
        return SupportGrade(label_of(claims), clean_line(reply.thought), claims)

    def grade_usefulness(
        self, question: str, answer: str, passages: Sequence[Passage]
    ) -> UsefulnessGrade:
        """Does the answer answer the question? The passages are not looked at."""
        prompt = prompts.load("usefulness", question=_asked(question), answer=_quoted(answer))
        try:
            reply = self._ask(prompt, Usefulness, "usefulness")
        except ModelError as error:
            return UsefulnessGrade(None, error=_unless_fatal(error))
        return UsefulnessGrade(
            reply.score >= self._useful_from,
            reply.score,
            clean_line(reply.thought),
            clean_line(reply.missing, _LINE),
        )

    def rewrite(
        self, question: str, tried: Sequence[str], missing: str, passages: Sequence[Passage]
    ) -> Rewrite:
        """A query that has not been tried; None where the model has none or repeats one."""
        prompt = prompts.load(
            "rewrite",
            context=format_context(passages),
            question=_asked(question),
            tried="\n".join(f"- {escape(clean_line(query, _LINE))}" for query in tried),
            missing=escape(clean_line(missing, _LINE)),
        )
        try:
            reply = self._ask(prompt, NewQuery, "rewrite")
        except ModelError as error:
            return Rewrite(None, error=_unless_fatal(error))
        query = clean_line(reply.query.strip().strip('"“”'), _LINE)
        thought = clean_line(reply.thought)
        if not query or _words(query) in [_words(one) for one in (question, *tried)]:
            return Rewrite(None, thought)
        return Rewrite(query, thought)

    def critique(self, question: str, answer: str, passages: Sequence[Passage]) -> Critique:
        """Is the answer good as it stands? The thought is in the language of the question."""
        prompt = prompts.load(
            "critique",
            context=format_context(passages),
            question=_asked(question),
            answer=_quoted(answer),
        )
        try:
            reply = self._ask(prompt, CritiqueOfAnswer, "self_critique")
        except ModelError as error:
            return Critique(None, error=_unless_fatal(error))
        return Critique(reply.answer == "yes", clean_line(reply.thought, _LINE))

    def grade_claim(self, statement: str, passages: Sequence[Passage]) -> VerdictGrade:
        """Do the passages support the statement or refute it?

        Only evidence that is really in the passage it names counts; a verdict without any of
        its kind becomes ``not_enough_evidence``.
        """
        prompt = prompts.load("claim", context=format_context(passages), question=_asked(statement))
        try:
            reply = self._ask(prompt, VerdictOnClaim, "claim_verdict")
        except ModelError as error:
            return VerdictGrade(None, error=_unless_fatal(error))
        return verdict_of(reply, passages)

    def complete(self, question: str, history: Sequence[Turn]) -> Rewrite:
        """The question made self-contained; None where it stands by itself already."""
        prompt = prompts.load(
            "follow_up", history=format_history(history), question=_asked(question)
        )
        try:
            reply = self._ask(prompt, CompleteQuestion, "question_rewritten")
        except ModelError as error:
            return Rewrite(None, error=_unless_fatal(error))
        completed = clean_line(reply.question.strip().strip('"“”'), _LINE)
        thought = clean_line(reply.thought)
        if not completed or _words(completed) == _words(question):
            return Rewrite(None, thought)
        return Rewrite(completed, thought)

    def _ask(self, prompt: prompts.Prompt, schema: type[ReplyT], step: str) -> ReplyT:
        return ask(self._model, prompt, schema, step=step, ledger=self._ledger)


def label_of(claims: Sequence[Claim]) -> Support:
    """The label of an answer from its claims; not applicable where it makes none."""
    labels = {claim.support for claim in claims}
    if not labels:
        return Support.NOT_APPLICABLE
    return labels.pop() if len(labels) == 1 else Support.PARTIALLY


def verdict_of(reply: VerdictOnClaim, passages: Sequence[Passage]) -> VerdictGrade:
    """The verdict, with the evidence that is really there; it must rest on some of its kind."""
    evidence: list[Evidence] = []
    for item in reply.evidence:
        quote = _really_there(item.document, item.quote, passages)
        if quote is not None:
            evidence.append(Evidence(item.document, quote, item.stance == "against"))
    verdict = Verdict(reply.verdict)
    against = any(item.against for item in evidence)
    rests = {
        # Evidence both ways is told as such by its sentences; it supports nothing.
        Verdict.SUPPORTED: bool(evidence) and not against,
        Verdict.REFUTED: against,
        Verdict.NOT_ENOUGH: True,
    }
    thought = clean_line(reply.thought)
    if not rests[verdict]:
        return VerdictGrade(Verdict.NOT_ENOUGH, thought, tuple(evidence))
    return VerdictGrade(verdict, thought, tuple(evidence))


def _check(claim: ClaimSupport, passages: Sequence[Passage]) -> Claim:
    """The claim with its quote as it stands in the passage; without one it is not supported."""
    text = clean_line(claim.claim)
    support = Support(claim.support)
    quote = _really_there(claim.document, claim.quote, passages)
    if support is Support.NOT or quote is None:
        return Claim(text, Support.NOT)
    return Claim(text, support, claim.document, quote)


def _really_there(number: int, quote: str, passages: Sequence[Passage]) -> str | None:
    """The quote as it stands in the passage with this number; None where it doesn't."""
    for passage in passages:
        if passage.number == number:
            source = clean_text(passage.text)
            found = find_quote(quote, source)
            return source[found[0] : found[1]] if found else None
    return None


def _unless_fatal(error: ModelError) -> str:
    """The text of an error for its grade; a fatal one ends the run."""
    if error.fatal:
        raise error
    return str(error)


def _asked(question: str) -> str:
    return escape(clean_question(question))


def _quoted(answer: str) -> str:
    return escape(clean_text(answer).strip())


def _words(query: str) -> list[str]:
    """The words of a query, for telling whether two would find the same."""
    return "".join(
        character if character.isalnum() else " " for character in query.casefold()
    ).split()
