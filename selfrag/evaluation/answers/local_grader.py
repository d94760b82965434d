"""What can be measured of an answer without a language model.

The local judge compares words and meanings. It can say which sentences of an answer stand in its
passages; it cannot split an answer into statements, make questions from it, or tell whether a
passage helps towards a ground truth. So the measures of RAGAS are not to be had from it, and its
own goes by a name of its own.
"""

from collections.abc import Mapping, Sequence

from selfrag.evaluation.answers.grades import Grade, Graded
from selfrag.evaluation.answers.measures import CLAIMS_BACKED, RAGAS
from selfrag.evaluation.answers.questions import Question
from selfrag.reflection.events import ContextPassage
from selfrag.reflection.grades import Support
from selfrag.reflection.local_judge import LocalJudge
from selfrag.reflection.roles import Passage
from selfrag.retrieval.result import Hit

_WHY = "only a language model can grade them: set EVALUATION_JUDGE_MODEL and where it answers"


class LocalGrader:
    """Implements `selfrag.evaluation.answers.grades.Grader`."""

    unavailable: Mapping[str, str] = dict.fromkeys(RAGAS, _WHY)

    def __init__(self, judge: LocalJudge) -> None:
        self.name = judge.name
        self._judge = judge

    def grade(self, question: Question, answer: str, contexts: Sequence[ContextPassage]) -> Graded:
        """The share of the answer's sentences that its passages fully back."""
        if not answer:
            return Graded({CLAIMS_BACKED: Grade(None, "it abstained")}, declines=True)
        grade = self._judge.grade_support(
            question.question, answer, [_passage(context) for context in contexts]
        )
        if not grade.claims:
            why = "the answer makes no claim" if contexts else "it was written from no passage"
            declines = True if contexts and grade.label is Support.NOT_APPLICABLE else None
            return Graded({CLAIMS_BACKED: Grade(None, why)}, declines)
        backed = [claim.support is Support.FULLY for claim in grade.claims]
        said = zip(grade.claims, backed, strict=True)
        detail = tuple(f"{'yes' if there else 'no'}: {claim.text}" for claim, there in said)
        value = sum(backed) / len(backed)
        return Graded({CLAIMS_BACKED: Grade(value, detail=detail)}, declines=False)


def _passage(context: ContextPassage) -> Passage:
    hit = Hit(
        rank=context.number,
        chunk_id=context.chunk_id,
        document_id=context.document_id,
        document=context.document,
        page=context.page,
        text=context.text,
        spans=(),
        parent_id=context.chunk_id,
        parent_text=context.text,
    )
    return Passage(context.number, hit, context.text, context.relevance)
