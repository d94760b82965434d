"""What kind of answer a question asks for, and whether a sentence holds something of the kind.

A small list of question words in seven languages; where none is found, nothing is expected and
nothing is held against a sentence.
"""

import re
from enum import StrEnum

from selfrag.models.words import fold


class Kind(StrEnum):
    """The kind of answer that is asked for."""

    NUMBER = "a number"
    TIME = "a date or a year"
    PERSON = "a name"
    PLACE = "a place"
    REASON = "a reason"
    DEFINITION = "a definition"


# Read on folded text (lower case, no accents), the more telling kinds first.
_ASKED = (
    (
        Kind.TIME,
        # Inside a question it tells the time of something else: "how many were there when".
        r"(?:^|[,;] |\b(?:and|e|y|et|und|en|since|until|till|from|by|desde|ate|hasta|depuis|seit"
        r"|bis|ab) )(?:when|quando|cuando|quand|wann|wanneer)\b"
        r"|\b(?:when|quando|cuando|quand|wann|wanneer)$"
        r"|\b(?:what|which) (?:year|day|date|month|time|century|decade)"
        r"|\b(?:que|qual|quais|quel|quelle|welche[nmrs]?|welk|quale) (?:o )?"
        r"(?:ano|data|dia|mes|seculo|fecha|siglo|annee|date|jour|siecle|jahr|tag|datum|jahrhundert"
        r"|jaar|anno|giorno|secolo)",
    ),
    (
        Kind.NUMBER,
        r"\bhow (?:many|much|old|long|far|tall|large|big|often|high|fast|deep)\b"
        r"|\b(?:what|which) (?:percent|percentage|number|amount|share|rate|size|age)"
        r"|\bquant[oaie]s?\b|\bcuant[oa]s?\b|\bcombien\b|\bwie ?(?:viele?|lange|oft|hoch|gross|alt)"
        r"|\bhoeveel\b|\b(?:que|qual|cual|quel) (?:e |es |est )?(?:o |a |el |la |le )?(?:numero"
        r"|porcentagem|percentual|porcentaje|valor|prazo|pourcentage|nombre)",
    ),
    (
        Kind.PERSON,
        r"\bwho(?:m|se)?\b|\bquem\b|\bquien(?:es)?\b|^qui\b|\bwe[rnm]\b|\bwie is\b|\bchi\b",
    ),
    (
        Kind.PLACE,
        r"\bwhere\b|\b(?:what|which) (?:city|country|state|region|place|town)|\bonde\b|\bdonde\b"
        r"|\bou (?:est|sont|se)\b|\bwo\b|\bwaar\b|\bdove\b|\b(?:que|qual|quel|welche[rs]?|quale) "
        r"(?:cidade|pais|estado|ciudad|ville|stadt|land|citta)",
    ),
    (Kind.REASON, r"\bwhy\b|\bpor ?que\b|\bpourquoi\b|\bwarum\b|\bwieso\b|\bwaarom\b|\bperche\b"),
    (
        Kind.DEFINITION,
        r"^what (?:is|are|was|were) (?:an? |the )?[\w-]+(?: [\w-]+)?\?*$|\bdefin|\bmeans?\b"
        r"|^o que (?:e|sao|significa)\b|^que (?:es|son|significa)\b|^qu'?est|^was (?:ist|sind)\b",
    ),
)
_MONTHS = (
    "january|february|march|april|june|july|august|september|october|november|december|janeiro"
    "|fevereiro|marco|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro|enero"
    "|febrero|marzo|mayo|junio|julio|septiembre|octubre|noviembre|diciembre|janvier|fevrier|mars"
    "|avril|juin|juillet|aout|septembre|octobre|novembre|decembre|januar|februar|marz|mai|juni"
    "|juli|oktober|dezember|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre"
    "|dicembre"
)
_NUMBER_WORDS = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred|thousand|million|billion"
    "|half|third|dozen|twice|once|dois|duas|tres|quatro|cinco|seis|sete|oito|nove|dez|cem|mil"
    "|milhoes|milhao|metade|dos|cuatro|siete|ocho|nueve|diez|cien|millones|deux|trois|quatre|cinq"
    "|sept|huit|neuf|dix|cent|mille|zwei|drei|vier|funf|sechs|sieben|acht|neun|zehn|hundert|tausend"
)
_SHOWN = {
    Kind.TIME: rf"\b1\d{{3}}s?\b|\b20\d\ds?\b|\b(?:{_MONTHS})\b|\b\d{{1,2}}/\d{{1,2}}\b|\bcentury\b"
    r"|\bseculo\b|\bsiglo\b|\bsiecle\b|jahrhundert|\b(?:monday|tuesday|wednesday|thursday|friday)\b",
    Kind.NUMBER: rf"\d|\b(?:{_NUMBER_WORDS})\b|\bpercent\b",
    Kind.REASON: r"\bbecause\b|\bdue to\b|\bsince\b|\bso that\b|\bin order to\b|\bcaus|\breason"
    r"|\bresult|\bporque\b|\bpois\b|\bdevido\b|\bvisto que\b|\ba fim de\b|\bpara\b|\bmotivo"
    r"|\bdebido\b|\bya que\b|\bpuesto que\b|\bcar\b|\bparce\b|\bafin\b|\bweil\b"
    r"|\bdamit\b|\bum zu\b",
    Kind.DEFINITION: r"\b(?:is|are|was|were) (?:an?|the|any|called|defined|known)\b|\bmeans\b"
    r"|\brefers? to\b|\bconsists?\b|\b(?:e|sao|foi) (?:um|uma|o|a|os|as|definid)\b|\bconsiste"
    r"|\bsignifica|\b(?:es|son|fue) (?:un|una|el|la|los|las|conocid)\b|\best une?\b|\bist eine?\b",
}
_ASKED_COMPILED = tuple((kind, re.compile(pattern)) for kind, pattern in _ASKED)
_SHOWN_COMPILED = {kind: re.compile(pattern) for kind, pattern in _SHOWN.items()}
#: A person: two or more words written as names, initials and particles between them, or one name
#: inside a sentence that is no acronym and no product ("LayoutParser").
_PERSON = re.compile(
    r"(?:\b[A-ZÀ-Þ]\.\s?)*\b[A-ZÀ-Þ][a-zß-ÿ’'-]+(?:\s(?:[a-z]{1,3}\s|[A-Z]\.\s?){0,3}"
    r"[A-ZÀ-Þ][\w’'-]*[a-zß-ÿ]\b)+"
    r"|(?<=[\w,;:)'’”] )[A-ZÀ-Þ][a-zß-ÿ’'-]+(?!\w)"
)
_OF_A_DATE = re.compile(rf"{_MONTHS}|(?:mon|tues|wednes|thurs|fri|satur|sun)day")
_WRITTEN_NAME = re.compile(r"[A-ZÀ-Þ][\w’'-]+")
#: "How fast" is answered by a speed, a time or a ratio, not by any number.
_SPEED_ASKED = re.compile(r"\bhow (?:fast|quick(?:ly)?)\b|\bwie schnell\b")
_SPEED = re.compile(
    r"\d\s*(?:x\b|×|%|percent|times|fold|ms\b|s\b|sec|min|hours?|h\b|stunden|km|m/s|mph|knots|hz"
    r"|per |/s|prozent|mal\b)|\b(?:twice|half|times|fold) |\b\w+ times\b|\bdoppelt"
)
_NUMERAL = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"(?<=[\w,;:)'’”] )[^\W\d_a-zß-ÿ][\w'’-]+")


def asked_kind(question: str) -> Kind | None:
    """The kind of answer that ``question`` asks for, or None where its words don't tell."""
    folded = fold(question).strip(" ?!.¿¡")
    for kind, pattern in _ASKED_COMPILED:
        if pattern.search(folded):
            return kind
    return None


def holds(sentence: str, kind: Kind, question: str) -> bool:
    """Whether ``sentence`` has something of ``kind`` that the question doesn't already say."""
    if kind in (Kind.PERSON, Kind.PLACE):
        return any(name not in question for name in _NAME.findall(sentence))
    folded = fold(sentence)
    if kind in (Kind.NUMBER, Kind.TIME):
        said = set(_NUMERAL.findall(question))
        folded = _NUMERAL.sub(lambda m: " " if m[0] in said else m[0], folded)
    return bool(_SHOWN_COMPILED[kind].search(folded))


def gives(answer: str, kind: Kind | None, question: str) -> bool:
    """Whether an answer has what a question for a person, a time or a number asks for.

    Stricter than `holds`, which weighs sentences against each other: there any name will do for a
    person and any number for a speed. True of every other kind, whose cues are too few to refuse
    an answer for.
    """
    if kind is Kind.PERSON:
        asked = fold(question)
        return any(
            fold(name) not in asked
            for found in _PERSON.finditer(answer)
            for name in _WRITTEN_NAME.findall(found[0])
            if not _OF_A_DATE.fullmatch(fold(name))
        )
    if kind is Kind.NUMBER and _SPEED_ASKED.search(fold(question)):
        return bool(_SPEED.search(fold(answer)))
    if kind in (Kind.NUMBER, Kind.TIME):
        return holds(answer, kind, question)
    return True
