"""Questions that a text answers, made from its own sentences.

"The guest flat costs 38 euros a night." answers "How much does the guest flat cost?": a sentence
that tells something of its subject is turned into the question for it (Heilman & Smith 2010, in
its simplest form: one clause, the subject kept word for word). A sentence whose subject points
back ("it", "this") or that no pattern fits makes none.
"""

import re
from collections.abc import Iterator

from selfrag.models.sentences import split_sentences

_LONGEST = 9  #: words of a subject
_NUMBER = r"(?:\D{0,18}\d)"
_CLOCK = r"\d{1,2}[:h.]\d{2}"
_DAYS = (
    r"(?i:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june"
    r"|july|august|september|october|november|december|spring|summer|autumn|winter)\b"
)
_WHEN = rf"(?:.{{0,40}}?(?:{_CLOCK}|\b(?:{_DAYS})))"
_SUBJECT = r"(?P<subject>[A-Z][^,;:()?!\"“”|]{1,80}?)"
_MADE = r"created|founded|built|published|introduced|established|completed|adopted|opened|released"
_IN_A_YEAR = r"(?:\w+ ){0,4}?(?:in|on|em|no|de) (?:\w+ ){0,3}?(?:1[6-9]|20)\d\d\b"
#: the subject of a sentence that could be about anything is one that has a name or an article
_NAMED = r"(?=The |[A-Z]\w*[A-Z])" + _SUBJECT
_ENGLISH = [
    (rf"{_SUBJECT} costs? {_NUMBER}", "How much {do} {subject} cost?"),
    (rf"{_SUBJECT} weighs? {_NUMBER}", "How much {do} {subject} weigh?"),
    (rf"{_SUBJECT} lasts? (?:for )?(?:about )?(?:\d|one|two|three|four|five|six|ten)",
     "How long {do} {subject} last?"),
    (rf"{_SUBJECT} (?P<be>is|are|was|were) held {_WHEN}", "When {be} {subject} held?"),
    (rf"{_SUBJECT} (?P<be>is|are) collected {_WHEN}", "When {be} {subject} collected?"),
    (rf"{_SUBJECT} (?P<be>is|are) open {_WHEN}", "When {be} {subject} open?"),
    (rf"{_SUBJECT} (?P<be>is|are) allowed {_WHEN}", "When {be} {subject} allowed?"),
    (rf"{_SUBJECT} (?P<be>is|are) (?:from )?{_CLOCK}", "When {be} {subject}?"),
    (rf"{_SUBJECT} begins? {_WHEN}", "When {do} {subject} begin?"),
    (rf"{_SUBJECT} holds? \d[\d,.]* (?P<things>(?!\w*(?:gram|lit|euro|dollar|met|tonn))[a-z]+s)\b",
     "How many {things} {do} {subject} hold?"),
    (rf"{_SUBJECT} holds? {_NUMBER}", "How much {do} {subject} hold?"),
    (rf"{_SUBJECT} has to {_NUMBER}", "What {do} {subject} have to do?"),
    (rf"{_SUBJECT} (?:consists?|is made up) of ", "What {do} {subject} consist of?"),
    (rf"(?![A-Z][a-z]+ing\b){_SUBJECT} means ", "What does {subject} mean?"),
    (rf"{_SUBJECT} (?P<be>is|are) (?:defined as|called|known as) ", "What {be} {subject}?"),
    (rf"(?=The ){_SUBJECT} (?P<be>is|was) (?:about )?\d", "What {be} {subject}?"),
    (rf"{_SUBJECT} (?P<be>is) (?:a|an) [a-z-]+ (?:\w+ ){{0,3}}(?:that|which|of|for)\b",
     "What {be} {subject}?"),
    (rf"{_SUBJECT} (?P<be>was|were) (?P<done>{_MADE}) {_IN_A_YEAR}", "When {be} {subject} {done}?"),
    (rf"{_NAMED} (?P<does>provide|require|include|contain|measure|monitor)s ",
     "What does {subject} {does}?"),
]  # fmt: skip
_PORTUGUESE = [
    (rf"{_SUBJECT} custam? {_NUMBER}", "Quanto custa {subject}?"),
    (rf"{_SUBJECT} acontece \D{{0,12}}(?:no|na|em|às|aos|nos) ", "Quando acontece {subject}?"),
    (rf"{_SUBJECT} abre às? {_NUMBER}", "A que horas abre {subject}?"),
    (rf"{_SUBJECT} é de {_NUMBER}", "De quanto é {subject}?"),
    (rf"{_SUBJECT} dura {_NUMBER}", "Quanto tempo dura {subject}?"),
    (rf"{_SUBJECT} pesa {_NUMBER}", "Quanto pesa {subject}?"),
    (rf"{_SUBJECT} é (?:no|na|em) (?:primeir|segund|terceir|últim|\d)", "Quando é {subject}?"),
    (rf"{_SUBJECT} significa ", "O que significa {subject}?"),
    (rf"{_SUBJECT} é permitida? ", "Quando é permitida {subject}?"),
    (rf"{_SUBJECT} fica pront[oa] em {_NUMBER}", "Em quanto tempo fica pronto {subject}?"),
    (rf"{_SUBJECT} chama-se (?=[A-ZÀ-Ý])", "Como se chama {subject}?"),
    (rf"{_SUBJECT} (?:é definid[oa] como|chama-se) ", "O que é {subject}?"),
    (rf"{_SUBJECT} (?P<done>foi \w+[ai]d[oa]) {_IN_A_YEAR}", "Quando {done} {subject}?"),
    (rf"{_SUBJECT} serve para ", "Para que serve {subject}?"),
    (rf"{_SUBJECT} consiste em ", "Em que consiste {subject}?"),
    (rf"{_SUBJECT} (?P<does>permite|exige|oferece|contém) ", "O que {does} {subject}?"),
    (rf"{_SUBJECT} é uma? \w+ (?:\w+ ){{0,3}}(?:que|de|d[oa]s?|para)\b", "O que é {subject}?"),
]  # fmt: skip
_PATTERNS = {
    language: [(re.compile(pattern), form) for pattern, form in forms]
    for language, forms in (("en", _ENGLISH), ("pt", _PORTUGUESE))
}
#: a subject that begins so points back, or is no thing that one could ask about
_POINTING = frozenset(
    """
    it its this that these those they their he his she her we our i you your who which what there
    here where when if each every some such both one none nobody somebody everybody everything
    another other others following
    after before until during since because although while however also to at in on from for by
    with without not no children most many whoever whatever whichever anyone someone anybody
    ele ela eles elas isso isto este esta esse essa seu sua quem que quando onde se cada todos em
    no na para por com sem não depois antes contra
    """.split()  # noqa: SIM905
)
#: and one that holds such a word is a whole clause
_CLAUSE = frozenset(
    """
    it its this that these those they their he his she her we our you your who which what there
    is are was were has have can may must will does if because and or
    ele ela eles elas isso isto seu sua quem que quando é são tem pode deve
    """.split()  # noqa: SIM905
)
#: words that nobody looks for by themselves: a document has many of each, or they only point
_GENERIC = frozenset(
    """
    algorithm amount appendix approach area article aspect author body book box case chapter class
    code column component concept condition content data date definition detail device document
    edge effect element entity entry equation event example experiment factor feature field figure
    file footnote form format formula function group idea image information input instance issue
    item kind layer lemma length level line list loop material matter measure member message method
    mode model module name network node note notion number object operation option order output
    page paper paragraph part pattern period person phase place point position problem procedure
    process product program project property proof purpose quality quantity question range rate
    reason record region report result role row rule sample scheme section sequence series set
    shape side size solution source stage state statement step strategy structure study subject
    symbol system table task technique term test text theorem theory thing time title tool topic
    total type unit user value variable variant version way word work year
    above another basic below certain common different first following former general given last
    latter main new next old other previous same second simple single special third typical usual
    a an and of the by for in to with
    algoritmo autor capítulo caso classe código coisa conceito dado dados documento elemento etapa
    exemplo figura forma função grupo item lista linha livro método modelo nome número objeto ordem
    página parte passo pessoa ponto problema processo projeto resultado seção sistema tabela tempo
    termo teste texto tipo trabalho valor versão
    outro outra seguinte mesmo mesma novo nova
    o os as um uma de do da dos das e
    """.split()  # noqa: SIM905
)


def questions_in(text: str, language: str | None) -> Iterator[tuple[str, str]]:
    """Questions with the sentences that answer them, in the order of the text.

    Args:
        text: prose; headings and rows of tables are passed over.
        language: ISO 639-1 code; English and Portuguese have patterns, others give none.
    """
    patterns = _PATTERNS.get(language or "en", [])
    for sentence in split_sentences(text):
        if not sentence.whole:
            continue
        for pattern, form in patterns:
            found = pattern.match(sentence.text)
            if found is None:
                continue
            if _can_be_asked_for(found["subject"]):
                yield _ask(found, form, text), sentence.text
            break


def _can_be_asked_for(subject: str) -> bool:
    words = subject.lower().split()
    return (
        len(words) <= _LONGEST
        and words[0] not in _POINTING
        and _CLAUSE.isdisjoint(words)
        and any(len(word) > 3 for word in words)
        and not all(map(_is_generic, words))
        and subject.isprintable()  # a broken letter is no part of a name
    )


def _is_generic(word: str) -> bool:
    """A word of `_GENERIC`, also in the plural, or one that is only a number or a letter."""
    plain = word.strip(".'’-")
    forms = {plain, plain.removesuffix("s"), plain.removesuffix("es")}
    if plain.endswith("ies"):
        forms.add(f"{plain[:-3]}y")
    return (
        not _GENERIC.isdisjoint(forms)
        or len(plain) < 2
        or (not plain.isalpha() and (plain.replace(".", "").isdigit()))
    )


def _ask(found: re.Match[str], form: str, text: str) -> str:
    subject = _as_inside(found["subject"], text)
    plural = found[0][found.end("subject") :].split()[0].rstrip(",")
    does = "does" if plural.endswith("s") and not plural.endswith("ss") else "do"
    parts: dict[str, str] = {"be": "", **found.groupdict(), "subject": subject, "do": does}
    return " ".join(form.format(**parts).split())


def _as_inside(subject: str, text: str) -> str:
    """The subject as it is written inside a sentence: small, unless it is a name."""
    first, _, rest = subject.partition(" ")
    small = first.lower()
    article = small in ("the", "a", "an", "o", "os", "as")
    common = article or re.search(rf"\b{re.escape(small)}\b", text) is not None
    return f"{small if common else first} {rest}".strip()
