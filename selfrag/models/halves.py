"""Sentences that say two things of one subject: "The museum is open until five and is closed on
Mondays" says that the museum is closed on Mondays."""

import re

_VERBS = {
    "en": "is|are|was|were|has|have|had|will|can|must|stays?|remains?",
    "pt": "é|são|era|eram|foi|foram|está|estão|fica|ficam|tem|têm|será|serão|deve|devem|pode|podem",
    "es": "es|son|era|eran|fue|fueron|está|están|tiene|tienen|será|serán|debe|deben|puede|pueden",
    "fr": "est|sont|était|étaient|sera|seront|a|ont|reste|restent|doit|doivent|peut|peuvent",
    "it": "è|sono|era|erano|sarà|saranno|ha|hanno|resta|restano|deve|devono|può|possono",
}
_AND = {"en": "and", "pt": "e", "es": "y|e", "fr": "et", "it": "e|ed"}
#: A clause of its own stands before "and", whose subject the second half may have; or a denial or a
#: choice, whose end nobody can tell.
_OTHER_CLAUSE = re.compile(
    r"[;:]|\b(?:that|which|who|whose|whom|where|when|while|not|no|never|neither|either|or|but"
    r"|que|quem|cujo|cuja|onde|donde|quando|cuando|não|nem|ou|mas|no|ni|o|pero|sino"
    r"|qui|dont|où|quand|pas|mais|che|cui|dove|non|né|ma)\b",
    re.IGNORECASE,
)
_SUBJECT = r"(?P<subject>(?:[^\s,;:]+ ){1,6}?)"
_COMPILED = {
    code: re.compile(
        rf"{_SUBJECT}(?:{verbs}) (?P<first>.*?),? (?:{_AND[code]}) (?P<second>(?:{verbs})\b.*)",
        re.IGNORECASE | re.DOTALL,
    )
    for code, verbs in _VERBS.items()
}


def second_half(sentence: str, language: str) -> list[str]:
    """What a sentence says second of its subject, as a sentence; empty where it does not.

    Args:
        language: ISO 639-1; those whose verb may stand elsewhere are not taken apart.
    """
    pattern = _COMPILED.get(language)
    found = pattern.match(" ".join(sentence.split())) if pattern else None
    if found is None or _OTHER_CLAUSE.search(found["subject"] + found["first"]):
        return []
    return [found["subject"] + found["second"]]
