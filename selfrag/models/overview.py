"""Questions about the documents as a whole ("what is this about?"), and what to quote for them.

Such a question shares no word with any passage, so that nothing would be found relevant. The
sentences nearest to the middle of what was found say best what it is about (centroid
summarisation; Radev et al., 2004). It is an overview of what was found, not a summary.
"""

import re
from collections.abc import Sequence

import numpy as np

from selfrag.models.features import Candidate
from selfrag.models.packaged import Encoder
from selfrag.models.words import fold

OPENING = 2  #: sentences of each passage that are looked at: texts say first what they are about
QUOTED = 3  #: sentences
TOO_ALIKE = 0.8  #: cosine
_SHORTEST = 4  #: letters of a word that tells one name from another
_THING = (
    r"(?:documents?|pdfs?|files?|papers?|texts?|reports?|books?|articles?|contents?"
    r"|documentos?|arquivos?|ficheiros?|textos?|relatorios?|livros?|artigos?|conteudos?"
    r"|archivos?|informes?|libros?|articulos?|contenidos?"
    r"|fichiers?|textes?|rapports?|livres?|contenus?"
    r"|dokumente?n?s?|datei(?:en)?|texte?s?|berichte?s?|inhalte?s?"
    r"|document[oi]|testo|testi|rapport[oi]|libr[oi]|documenten|bestand(?:en)?)"
)
_OF = (
    r"(?:\W+(?:this|the|these|my|your|uploaded|all|of|in|it|em|do|da|dos|das|de|deste|desta|este"
    r"|esta|o|a|os|as|um|meus?|el|la|los|las|del|un|mis?|ce|cet|le|les|des|du|mes|dies\w*"
    r"|dem|den|der|das|die|il|lo|gli|i|questo|van|het|dit|deze))*"
)
_WHICH = r"(?:\W+[a-z]+){0,2}"  #: "the annual report"
_OVERVIEW = re.compile(
    rf"(?:can you |could you |please |por favor |bitte )*(?:"
    rf"what(?:'s| is| are| does| do){_OF}\W+(?:{_THING}\W+)?(?:about|say|contain|cover)"
    rf"|(?:summari[sz]e|summary|overview|give me (?:a |an )?(?:summary|overview)"
    rf"|what are the (?:main|key) (?:points|topics|ideas))(?:{_OF}{_WHICH}\W+{_THING})?"
    rf"|(?:do|sobre o|de) que(?: se)? (?:trata|fala|e)(?:{_OF}\W+{_THING})?"
    rf"|(?:resum[aeoi]r?|resumen|resume|fac?a um resumo)(?:{_OF}\W+{_THING})?"
    rf"|de quoi (?:parle|traite|s'agit)(?:{_OF}\W+{_THING})?"
    rf"|worum geht es(?:{_OF}\W+{_THING})?|fasse?{_OF}\W+{_THING} zusammen|zusammenfassung"
    rf"|di (?:che )?cosa (?:parla|tratta)(?:{_OF}\W+{_THING})?|riassum[io](?:{_OF}\W+{_THING})?"
    rf"|waar gaat{_OF}\W+{_THING} over|vat{_OF}\W+{_THING} samen"
    rf")(?:\W+please)?\W*"
)

#: That all documents are meant, and not one of them.
_SEVERAL = re.compile(
    r"\b(?:all|my|documents|pdfs|files|papers|texts|reports|books|articles|todos|documentos"
    r"|arquivos|ficheiros|textos|relatorios|livros|artigos|archivos|informes|libros|articulos"
    r"|fichiers|textes|rapports|livres|alle|meine?|dokumente|dateien|texte|berichte|documenti|testi"
    r"|rapporti|libri|documenten|bestanden)\b"
)


def asks_for_overview(question: str) -> bool:
    """Whether the whole question asks what the documents are about, and names no subject."""
    return bool(_OVERVIEW.fullmatch(fold(question).replace("’", "'").strip(" ?!.¿¡")))


def asks_for_one_overview(question: str) -> bool:
    """Whether it asks so of one document: which one must be known, or another is told of."""
    return asks_for_overview(question) and not _SEVERAL.search(fold(question))


def named_for_overview(question: str, names: Sequence[str]) -> int | None:
    """Place of the one document whose name has a word of such a question: "the annual report" is
    `annual-2024.pdf`. None where no name has one, or several have.
    """
    if not asks_for_one_overview(question):
        return None
    asked = {word for word in _telling(question) if not re.fullmatch(_THING, word)}
    found = [place for place, name in enumerate(names) if asked & _telling(name)]
    return found[0] if len(found) == 1 else None


def _telling(text: str) -> set[str]:
    return {word for word in re.findall(r"[^\W_]+", fold(text)) if len(word) >= _SHORTEST}


def central_sentences(candidates: Sequence[Candidate], encoder: Encoder) -> list[Candidate]:
    """Up to three whole sentences nearest to the middle of all passages, the nearest first."""
    seen: dict[int, int] = {}
    opening = []
    for candidate in candidates:
        if candidate.sentence.whole and seen.get(candidate.passage, 0) < OPENING:
            seen[candidate.passage] = seen.get(candidate.passage, 0) + 1
            opening.append(candidate)
    opening = opening or list(candidates[:OPENING])
    if not opening:
        return []
    vectors = encoder.vectors([c.sentence.text for c in opening])
    nearness = vectors @ vectors.mean(axis=0)
    taken: list[int] = []
    for place in np.argsort(-nearness, kind="stable").tolist():
        if len(taken) < QUOTED and all(vectors[place] @ vectors[t] < TOO_ALIKE for t in taken):
            taken.append(place)
    return [opening[place] for place in taken]
