"""Follow-up questions: how much of a conversation is looked at, and a rule where no model is.

Without a language model a question that points back ("And in 2020?", "Why is it closed?") is lent
the key words of what was asked before, in brackets: enough for the search, and not the whole
question, which would be answered again. A question that names what it asks about stays as it is.
"""

from collections.abc import Sequence

from selfrag.models.words import guess_language, words
from selfrag.reflection.grades import Rewrite
from selfrag.reflection.roles import Turn
from selfrag.reflection.small_talk import small_talk
from selfrag.reflection.standing_alone import Pointing, own_words, points_back

_FEW = 1  #: words with meaning up to which a question asks for nothing without those it is lent
_OWN = 3  #: words of its own from which a question with a pronoun can do without the conversation


def within(history: Sequence[Turn], turns: int) -> tuple[Turn, ...]:
    """The last ``turns`` of a conversation; those without a question are left out."""
    asked = [turn for turn in history if turn.question.strip()]
    return tuple(asked[-turns:]) if turns else ()


def complete(question: str, history: Sequence[Turn]) -> Rewrite:
    """This question with key words of those before it, where it points back; otherwise None."""
    if not history or small_talk(question):
        return Rewrite(None)
    pointing = points_back(question)
    if pointing is None:
        return Rewrite(None, "It points to nothing said before.")
    lent = _lent(question, pointing, [turn.question for turn in history])
    if not lent:
        return Rewrite(None, "The question before it has no word to lend.")
    return Rewrite(
        f"{question} ({' '.join(lent)})",
        "With the key words of the question before it.",
        # With words of its own, lent ones would outweigh them when sentences are compared.
        search_only=len(words(question, guess_language(question))) > _FEW,
    )


def by_itself(question: str) -> bool:
    """Whether a question that was completed from the conversation may be searched for alone.

    Not one that is nothing without it ("Why?", "Who wrote it?"): another thing would be found.
    """
    own = len(own_words(question))
    return own >= _OWN if points_back(question) is Pointing.PRONOUN else own > 0


def _lent(question: str, pointing: Pointing, before: Sequence[str]) -> list[str]:
    """Words of the last question, and where that one points back, of what it points to.

    A pronoun stands for a thing and not for what was asked of it: where names were asked about,
    they are what it means ("Who wrote LayoutParser?", "Is it free?": LayoutParser).
    """
    *earlier, last = before
    said = own_words(last)
    at_back = points_back(last)
    subject = _lent(last, at_back, earlier) if at_back and earlier else []
    own = [word.text for word in said]
    if pointing is Pointing.PRONOUN:
        # In German every noun has a capital, so that it tells no name there.
        names = [w.text for w in said if w.named and guess_language(last) != "de"]
        own = names or ([] if subject else own)
    known = {word.key for word in words(question, guess_language(question))}
    language = guess_language(last)
    every = dict.fromkeys([*own, *subject])
    return [text for text in every if not known & {w.key for w in words(text, language)}]
