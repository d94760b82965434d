"""Does a question stand by itself, or does it point back to what was said before it?

A question points back where it goes on from what was said ("And in 2020?"), where a word in it
stands for something that it does not name ("Who approves it?"), or where it has no word that
names anything ("Why?", "What are the advantages?"). One that asks what a thing is ("What is
SunSpider?") is short and complete. Lists of words in seven languages; in doubt a question with a
pronoun points back, since without the conversation it could only be answered by chance.
"""

import re
from enum import Enum, auto

from selfrag.models.words import Word, fold, guess_language, words


class Pointing(Enum):
    """How a question points back."""

    GOES_ON = auto()  #: it opens by going on from what was said
    PRONOUN = auto()  #: a word in it stands for something said before
    FEW_WORDS = auto()  #: it names nothing


_OPENER = re.compile(
    r"(?:and|but|so|or|also|then|what about|how about|why not|e|mas|entao|y|pero|et|mais|und|aber"
    r"|ma|maar|en)\b[\s,]*"
)
_PRONOUN = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|this one|that one|those|these"
    r"|the same|ele|ela|eles|elas|dele|dela|deles|delas|nele|nela|isso|isto|disso|disto|nisso"
    r"|aquilo|ello|eso|esto|ellos|ellas|cela|celui|celle|ceux|ils|elles|er|ihn|ihm|ihnen"
    r"|davon|dazu|dafur|damit|esso|essa|essi|questo|quello|hij|zij|ervan|sie)\b"
    r"|\b(?:seus?|suas?|sus?) (?=\w+\W*$)|\b(?:on|peut-on) (?:le|la|les)\b|\b(?:le|la|les) "
    r"\w+-(?:t-)?on\b"
    # Words that stand for a thing only where no noun follows.
    r"|\b(?:this|that)(?=\W*$| (?:is|was|mean|include|cost|work|happen|take|apply|help|matter"
    r"|so|in|for|to|from|a|an|the)\b)|\b(?:is|was|does|did|do|of|about|for|to|with|by) this\W*$"
    r"|^(?:is|was) this\b|\b(?:das|dies)(?=\W*$| (?:so|auch|alles|gemeint)\b)"
    r"|^(?:gilt|ist|war|geht|kostet) das\b"
    r"|\b(?:quem|quien|quienes|cuando|quando|donde|onde|como|por ?que) (?:las?|los?|os?|as?) "
    r"\w+(?:a|e|o|an|en|am|em|ou|io)\W*$"
)
#: "it" that stands for nothing: "Is it possible to ...?", "How long does it take to ...?"
_EXPLETIVE = re.compile(
    r"\bit(?:'s| is| was| be)? (?:(?:really |still |also )?(?:true|possible|necessary|allowed"
    r"|safe|better|best|easy|hard|difficult|worth|important|useful|known|said|likely|permitted"
    r"|required|legal|enough|clear)\b|(?:mean|take|cost|make sense|matter|help) (?:\w+ ){0,3}?"
    r"(?:to|if|that|when|whether)\b)"
    r"|\b(?:is|was|does|did|would|will) it (?:mean|take|cost|make sense|matter|help) "
    r"(?:\w+ ){0,3}?(?:to|if|that|when|whether)\b"
)
#: A pronoun after one of these may stand for what the same question has named before it.
_JOINED = re.compile(r"[,;]|\b(?:and|or|e|ou|y|o|et|und|oder|ed|en|of)\b")
#: Whose something is, of a name before it: "How did Grant move his army?"
_WHOSE = re.compile(r"(?:his|her|its|their|dele|dela|deles|delas)")
#: The verb that a pronoun repeats in French: "les requêtes sont-elles résumées".
_INVERTED = re.compile(r"-(?:t-)?(?:ils?|elles?)\b")
_DEFINES = re.compile(
    r"(?:what(?:'s| is| are| was| were)(?! the\b)|who(?:'s| is| are| was| were)|where(?:'s| is)"
    r"|where are|what (?:do|does) .+ mean|define|explain|o que (?:e|sao|significa|foi)"
    r"|quem (?:e|foi|sao)"
    r"|onde (?:e|fica|ficam)|que (?:es|son|significa)|quien(?:es)? (?:es|son|fue)"
    r"|donde (?:esta|estan|queda)|qu'?est[- ]ce que?|qui (?:est|sont|etait)|ou (?:est|sont)"
    r"|que signifie|was (?:ist|sind|bedeutet)(?! d(?:er|ie|as)\b)|wer (?:ist|war|sind|waren)"
    r"|wo (?:ist|liegt|sind)|(?:che )?cos'?\W?e|che cosa (?:e|sono)|chi (?:e|era|sono)"
    r"|dov'?\W?e|wat (?:is|zijn|betekent)(?! (?:de|het)\b)|wie (?:is|was)|waar (?:is|ligt))\b"
)
#: Opens a whole question, not what is left of one ("and in 2020").
_ASKS = re.compile(
    r"(?:who|what|when|where|why|how|which|is|are|was|were|does|do|did|can|quem|que|quando|onde"
    r"|como|qua[il]s?|por que|quien|cuando|donde|cual|qui|quand|comment|pourquoi|quel(?:le)?s?"
    r"|wer|was|wann|wo|wie|warum|welche[rs]?|chi|dove|come|perche|wat|waar|hoe)\b(?! about)"
)
#: Words that say what is asked of a thing, or of what kind it is, and not which thing it is.
_OF_A_THING = re.compile(
    r"long|many|much|often|old|far|high|large|fast|big|year|day|date|time|name|who|when|where|why"
    r"|how|what|which|since|students?"
    r"|quant[oa]s?|quando|onde|quem|qual|quais|que|como|desde|anos?|dias?|datas?|horas?|nomes?"
    r"|cuant[oa]s?|cuando|donde|quien|combien|quand|quel(?:le)?s?|depuis|wann|wer|wie|wo|viele?"
    r"|lange|oft|seit|warum|wieso|weshalb|pourquoi|porque|perche|dove|hoe|waar|wanneer|waarom"
    # what one asks for more of
    r"|more|another|other|others|else|main|key|simpler?|words?|give|tell|show|explain|examples?"
    r"|details?|mais|outr[oa]s?|principa(?:l|is)|da|dar|diga|exemplos?|detalhes?|mas|otr[oa]s?"
    r"|principales?|ejemplos?|detalles?|plus|autres?|principaux|exemples?|mehr|andere[rns]?"
    r"|beispiele?|genauer|altr[oi]|esempi[o]?|voorbeeld(?:en)?"
    # and what a thing has
    r"|(?:dis)?advantages?|benefits?|drawbacks?|limits?|limitations?|differences?|reasons?|causes?"
    r"|results?|conclusions?|purposes?|goals?|prices?|costs?|deadlines?|authors?|second|first|last"
    r"|(?:des)?vantagens|(?:des)?vantagem|beneficios?|limites?|limitac(?:ao|oes)|diferencas?"
    r"|motivos?|raz(?:ao|oes)|causas?|resultados?|conclus(?:ao|oes)|objetivos?|precos?|custos?"
    r"|custa[m]?|prazos?|autor(?:es|a)?|segund[oa]|primeir[oa]|ultim[oa]"
    r"|(?:des)?ventajas?|limitacion(?:es)?|diferencias?|razon(?:es)?|objetivo|precios?|plazos?"
    r"|cuesta[n]?|avantages?|inconvenients?|raisons?|resultats?|buts?|prix|couts?|coute(?:nt)?"
    r"|delais?|auteurs?|second[e]?|premiere?|vorteile?|nachteile?|unterschiede?|grunde?|ergebnisse?"
    r"|ziele?|preise?|kosten|kostet|frist|autor(?:en)?|vantaggi[o]?|svantaggi[o]?|differenz[ae]"
    r"|motiv[oi]|prezz[oi]|autor[ei]|voordelen|nadelen|redenen|prijs"
)
_NAMED_ONE = 1  #: words of its own up to which a question may name nothing


def points_back(question: str) -> Pointing | None:
    """How the question points to what was said before it; None where it stands by itself."""
    plain = fold(question).replace("’", "'").lstrip(" ¿¡\"'(")
    opener = _OPENER.match(plain)
    rest = plain[opener.end() :] if opener else plain
    if _stands_for_something(question, rest):
        return Pointing.PRONOUN
    own = own_words(question)
    asks_what_it_is = bool(own) and _DEFINES.match(rest) is not None
    named = any(_is_name(word, question) for word in own) and len(own) > _NAMED_ONE
    if opener and not asks_what_it_is and not (named and _ASKS.match(rest)):
        return Pointing.GOES_ON if len(own) > _NAMED_ONE else Pointing.FEW_WORDS
    if len(own) > _NAMED_ONE or asks_what_it_is:
        return None
    return None if own and _is_name(own[0], question) else Pointing.FEW_WORDS


def own_words(question: str) -> list[Word]:
    """The words that say which thing is asked about."""
    found = words(question, guess_language(question))
    return [word for word in found if not _OF_A_THING.fullmatch(fold(word.text))]


def _is_name(word: Word, question: str) -> bool:
    """A word that is written as a name, or stands alone: ``SunSpider``, ``OLAP``."""
    if not word.text[0].isupper():
        return False
    inside = question[: word.start].strip(" ¿¡\"'(") != ""
    alone = fold(question).strip(" ¿?!.") == fold(word.text)
    return alone or (inside and guess_language(question) != "de")


def _stands_for_something(question: str, plain: str) -> bool:
    """Whether a pronoun stands for something that the question itself has not named."""
    plain = _INVERTED.sub("", plain)
    expletive = _EXPLETIVE.search(plain)
    if expletive:
        plain = plain.replace(expletive[0], " " * len(expletive[0]))
    formal = re.search(r"\bSie\b", question) is not None
    for found in _PRONOUN.finditer(plain):
        if found[0] == "sie" and formal:  # whom one speaks to
            continue
        before = plain[: found.start()]
        names = [w for w in own_words(before) if len(w.text) > 1]
        joined = list(_JOINED.finditer(before))
        if joined and own_words(before[: joined[-1].start()]):
            continue
        if _WHOSE.fullmatch(found[0]) and _names_in(question, len(before)):
            continue
        if names and found[0] in ("er", "he", "she") and _names_in(question, len(before)):
            continue
        return True
    return False


def _names_in(question: str, before: int) -> bool:
    """Whether a name stands before a place of the question."""
    found = words(question[: before + 1], guess_language(question))
    return guess_language(question) != "de" and any(word.named for word in found)
