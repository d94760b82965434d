"""Follow-up questions: how much of a conversation is looked at, and a rule where no model is.

Without a language model a question that points back ("And in 2020?", "Why is it closed?") is lent
the key words of the question before it, in brackets: enough for the search, and not the whole
question, which would be answered again. A question that names what it asks about stays as it is.
"""

import re
from collections.abc import Sequence

from selfrag.models.words import fold, guess_language, words
from selfrag.reflection.grades import Rewrite
from selfrag.reflection.roles import Turn
from selfrag.reflection.small_talk import small_talk

_POINTS_BACK = re.compile(
    # Opens by going on from what was said ...
    r"^(?:and|but|so|or|also|then|what about|how about|why not|e|mas|entao|y|pero|et|mais|und|aber"
    r"|ma|maar)\b"
    # ... or holds a word that stands for something said before.
    r"|\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|this one|that one|those|these"
    r"|the same|ele|ela|eles|elas|dele|dela|deles|delas|isso|isto|disso|disto|nisso|aquilo"
    r"|ello|eso|esto|ellos|ellas|cela|celui|celle|ceux|ils|elles|sie|er|ihn|ihm|ihnen|davon|dazu"
    r"|esso|essa|essi|questo|quello|hij|zij|ervan)\b"
)
#: What was asked of the subject, not the subject.
_HOW_MUCH = re.compile(
    r"long|many|much|often|old|far|high|large|fast|big|year|day|date|time|name|who|when|where|why"
    r"|how|what|which|quant[oa]s?|quando|onde|quem|qual|quais|como|cuant[oa]s?|cuando|donde|quien"
    r"|combien|quand|quel(?:le)?s?|wann|wer|wie|wo|viele?|lange|data|ano|dia|nome"
)
_FEW = 1  #: words with meaning up to which a question can't stand by itself


def within(history: Sequence[Turn], turns: int) -> tuple[Turn, ...]:
    """The last ``turns`` of a conversation; those without a question are left out."""
    asked = [turn for turn in history if turn.question.strip()]
    return tuple(asked[-turns:]) if turns else ()


def complete(question: str, history: Sequence[Turn]) -> Rewrite:
    """This question with the last one's key words, where it points back; otherwise None."""
    if not history or small_talk(question):
        return Rewrite(None)
    folded = fold(question).lstrip(" ¿¡\"'(")
    few = len(words(question, guess_language(question))) <= _FEW
    if not few and not _POINTS_BACK.search(folded):
        return Rewrite(None, "It points to nothing said before.")
    before = history[-1].question
    known = {word.key for word in words(question, guess_language(question))}
    lent = [
        word.text
        for word in words(before, guess_language(before))
        if word.key not in known and not _HOW_MUCH.fullmatch(fold(word.text))
    ]
    if not lent:
        return Rewrite(None, "The question before it has no word to lend.")
    lent_words = " ".join(dict.fromkeys(lent))
    return Rewrite(
        f"{question} ({lent_words})",
        "With the key words of the question before it.",
        # With words of its own, lent ones would outweigh them when sentences are compared.
        search_only=not few,
    )
