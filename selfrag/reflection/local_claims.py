"""A statement weighed without a language model: supported, refuted, or neither.

Only what is said in nearly the same words counts (`selfrag.models.saying`): a sentence that
speaks of the same things may say anything of them. Most statements in other words are therefore
neither, and the answer quotes what comes nearest: the person decides. Where documents say both,
neither is the verdict too, and both sentences are shown.
"""

from collections.abc import Iterator, Sequence

from selfrag.models.saying import Said, says
from selfrag.models.sentences import Sentence, split_sentences
from selfrag.models.words import guess_language
from selfrag.reflection.answer_claims import Statement, split_statements
from selfrag.reflection.grades import Claim, Evidence, Verdict, VerdictGrade
from selfrag.reflection.local_support import quoted_claim
from selfrag.reflection.roles import Passage
from selfrag.wording import count

SAYS_SO = "A sentence of your documents says so in nearly the same words."
SAYS_OTHERWISE = "A sentence of your documents says otherwise in nearly the same words."
SAY_BOTH = "Your documents say so in one place, and otherwise in another."
CANNOT_TELL = (
    "No sentence says it, or the opposite, in nearly the same words; without a language model, "
    "what is said in other words cannot be told."
)


def weigh_claim(statement: str, passages: Sequence[Passage]) -> VerdictGrade:
    """Supported where each sentence of the statement is, refuted where one of them is."""
    parts = split_statements(statement)
    weighed = [tuple(_evidence(part, passages)) for part in parts]
    evidence = tuple(dict.fromkeys(item for found in weighed for item in found))
    backed = sum(bool(found) and not any(it.against for it in found) for found in weighed)
    torn = any(len({item.against for item in found}) == 2 for found in weighed)
    if torn:
        return VerdictGrade(Verdict.NOT_ENOUGH, SAY_BOTH, evidence)
    if any(item.against for item in evidence):
        return VerdictGrade(Verdict.REFUTED, SAYS_OTHERWISE, evidence)
    if parts and backed == len(parts):
        return VerdictGrade(Verdict.SUPPORTED, SAYS_SO, evidence)
    if not backed:
        return VerdictGrade(Verdict.NOT_ENOUGH, CANNOT_TELL)
    told = f"Only {backed} of its {count(len(parts), 'sentence')} {'is' if backed == 1 else 'are'}"
    return VerdictGrade(Verdict.NOT_ENOUGH, f"{told} backed by your documents.", evidence)


def _evidence(part: Statement, passages: Sequence[Passage]) -> Iterator[Evidence]:
    """The first sentence that says the same, and the first that says the opposite."""
    known: set[bool] = set()
    quoted = quoted_claim(part, passages)
    for passage in passages:
        language = guess_language(passage.text)
        for sentence in split_sentences(passage.text):
            if quoted and quoted.document == passage.number and _is_all_of(quoted, sentence):
                said = Said.SAME
            else:
                said = says(part.text, sentence.text, language)
            against = said is Said.OPPOSITE
            if said is not Said.NEITHER and against not in known:
                known.add(against)
                quote = passage.text[sentence.start : sentence.end]
                yield Evidence(passage.number, quote, against)


def _is_all_of(claim: Claim, sentence: Sentence) -> bool:
    """Whether a quote is a whole sentence: of a part, the rest may say for whom, or if at all."""
    return _bare(claim.quote or "") == _bare(sentence.text)


def _bare(text: str) -> str:
    return " ".join(text.split()).strip(" .!…“”\"'")
