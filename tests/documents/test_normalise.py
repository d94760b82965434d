"""Single characters and words."""

import pytest

from selfrag.documents.legibility import Legibility, legibility, shows_as_text
from selfrag.documents.normalise import mirrored, word
from selfrag.documents.sentences import sentences
from selfrag.models.language import detect_language
from selfrag.quotes import find_quote


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("beneﬁts", "benefits"),
        ("eﬃcient", "efficient"),
        ("m²", "m²"),
        ("ｆｕｌｌ１２", "full12"),
        ("（日本）", "（日本）"),
        ("co\u00adope\u00adrate", "cooperate"),
        ("e\u0301te\u0301", "été"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("bell\x07", "bell"),
        ("ﻻ", "لا"),
        ("𝑥", "x"),
        ("private\ue000", "private\ue000"),
    ],
)
def test_words_are_written_plainly(raw: str, plain: str) -> None:
    text, sources = word(raw, range(len(raw)))
    assert text == plain
    assert len(sources) == len(text)
    assert sources == sorted(sources)


def test_brackets_of_a_right_to_left_line_are_turned_only_if_reversed() -> None:
    assert mirrored("סעיף 15)ב()4(") == "סעיף 15(ב)(4)"
    assert mirrored("סעיף 15(ב)") == "סעיף 15(ב)"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("What is the weekly basis of the salary?", "en"),
        ("Quais são os riscos da pesca no oceano?", "pt"),
        ("¿Cómo funciona la búsqueda de documentos?", "es"),
        ("Comment fonctionne la recherche de documents ?", "fr"),
        ("Wie funktioniert die Suche nach Dokumenten?", "de"),
        ("Come funziona la ricerca dei documenti?", "it"),
        ("これは日本語の文です。", "ja"),
        ("12 34 56", None),
        ("ok", None),
    ],
)
def test_language_of_one_line(text: str, code: str | None) -> None:
    assert detect_language(text) == code


@pytest.mark.parametrize(
    ("language", "text", "count"),
    [
        ("en", "Dr. Smith left. He had read Fig. 3, p. 5, e.g. twice. Was it late? Yes!", 4),
        ("pt", "O Sr. Silva chegou às 10h. Depois saiu. Veja a pág. 3.", 3),
        ("fr", "M. Dupont est là. Il partit ensuite.", 2),
        ("de", "Am 3. Mai kam Dr. Meier nach Köln. Er blieb.", 2),
        ("it", "Il dott. Rossi è qui. Vedi pag. 3. Va bene.", 3),
        ("ja", "序である。電燈です。", 2),
        (None, "One here. Two there.\n\nThree", 3),
    ],
)
def test_sentences_end_where_they_end(language: str | None, text: str, count: int) -> None:
    found = sentences(text, language)
    assert "".join(found) == text
    assert len([s for s in found if s.strip()]) == count


def test_quotes_are_located_exactly_or_not_at_all() -> None:
    page = "He said:  “It’s a well–known\nfact, in ﬁne.” Nobody agreed."
    found = find_quote("it's a WELL-known fact, in fine.", page)
    assert found is not None
    assert page[found[0] : found[1]] == "It’s a well–known\nfact, in ﬁne."
    assert find_quote("It’s a little known fact", page) is None
    assert find_quote("   ", page) is None


def test_gibberish_is_told_from_text() -> None:
    prose = "Les requêtes de l’utilisateur sont décrites dans le journal, fig. 3."
    assert legibility(prose) is Legibility.GOOD
    assert legibility("ΰԔϸЇ Ψߙϣg ϙķϢʆi ͳ೅ဍഀඥ Ǌ¢һӍΉʽী ܅ȥ͟ರ һӍΉʽ") is Legibility.GIBBERISH
    assert legibility("\ue001\ue002\ue003 \ue004" * 12) is Legibility.GIBBERISH
    assert legibility("7KH TXLFN EURZQ IR[ MXPSV RYHU WKH OD]\\ GRJ DQG") is Legibility.DOUBTFUL
    assert legibility("f(x) = 2") is Legibility.GOOD


def test_boxes_for_signs_without_a_name_are_no_text_to_show() -> None:
    boxes = "The determinant of this matrix is \ue001 \ue002 + \ue003 for every point of the path"
    assert legibility(boxes) is not Legibility.GIBBERISH, "its words can be searched for"
    assert not shows_as_text(boxes)
    assert not shows_as_text("a word, \ufffd\ufffd\ufffd")
    assert shows_as_text("Sei g1,1(s) = gs(DpF(ei)) mit ∂F, ∈ R2×2 und ∫ f dA.")
    assert shows_as_text(f"A long passage with one sign only \ue000 of {'many letters ' * 9}.")
    assert shows_as_text("")
