"""What a chat model is asked to fill in when it grades an answer for a study.

As in `selfrag.reflection.replies`: the thought before the verdict, everything required, no bounds.
"""

from selfrag.reflection.replies import Reply, Text, WholeNumber, YesNo


class StatementsOfAnswer(Reply):
    """The statements of fact of an answer."""

    statements: list[str]


class StatementVerdict(Reply):
    """Whether the statement with this number can be inferred from the documents."""

    number: WholeNumber
    thought: Text
    answer: YesNo


class StatementVerdicts(Reply):
    """Whether each statement can be inferred from the documents."""

    verdicts: list[StatementVerdict]


class QuestionsFromAnswer(Reply):
    """Questions that an answer would be the answer to, and whether it evades all of them."""

    noncommittal: bool
    questions: list[str]


class UsefulContext(Reply):
    """Whether one document helped to arrive at the right answer."""

    thought: Text
    answer: YesNo


class AttributedStatement(Reply):
    """A statement of the right answer, and whether the documents hold it."""

    statement: Text
    thought: Text
    answer: YesNo


class AttributedStatements(Reply):
    """Which statements of the right answer the documents hold."""

    statements: list[AttributedStatement]
