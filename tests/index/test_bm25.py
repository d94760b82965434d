"""BM25 vectors: the same words as fastembed's, and every script can be found."""

from collections.abc import Callable
from functools import cache

import pytest
from fastembed import SparseTextEmbedding

from selfrag.index.bm25 import FOREIGN_STEM, Bm25Embeddings
from selfrag.index.languages import LANGUAGES

TEXTS = {
    "english": "The running houses weren't state-of-the-art: 3.14 runners ran naïvely, e-mail us!",
    "portuguese": "As árvores da Amazônia são protegidas por lei; os rios não podem ser poluídos.",
    "spanish": "Los niños corrían rápidamente por las calles de la ciudad, según el periódico.",
    "french": "L'économie française s'est développée rapidement pendant les années cinquante.",
    "german": "Die Häuser der Straßen wurden während des Krieges größtenteils zerstört.",
    "italian": "Le città italiane erano già state costruite dagli antichi Romani.",
    "russian": "Российские учёные исследовали глубокие озёра Сибири.",
    "turkish": "Öğrenciler kitapları okullarda okudular.",
}


Reference = Callable[[str, str], dict[int, float]]


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    """fastembed's vector of a text, which needs no files where it is given the stop words."""
    folder = tmp_path_factory.mktemp("bm25")

    @cache
    def model(language: str) -> SparseTextEmbedding:
        return SparseTextEmbedding(
            "Qdrant/bm25", specific_model_path=str(folder), language=language, stopwords=set()
        )

    def embed(language: str, text: str) -> dict[int, float]:
        (made,) = model(language).embed([text])
        return dict(zip(made.indices.tolist(), made.values.tolist(), strict=True))

    return embed


@pytest.mark.parametrize("language", TEXTS)
def test_words_are_those_of_fastembed_but_for_stop_words(
    reference: Reference, language: str
) -> None:
    text = TEXTS[language]
    bm25 = Bm25Embeddings(language)
    expected = reference(language, text)
    ours = set(bm25.embed_documents([text])[0].indices)
    assert ours <= expected.keys()
    assert len(ours) >= 4
    # What is missing are stop words: alone, they are no query at all.
    dropped = expected.keys() - ours
    words = "".join(c if c.isalnum() else " " for c in text.lower()).split()
    for word in words:
        (index,) = reference(language, word)
        if index in dropped:
            assert bm25.embed_query(word).indices == []


def test_weights_are_those_of_fastembed(reference: Reference) -> None:
    text = "cat dog cat bird cat horse dog"
    made = Bm25Embeddings("english").embed_documents([text])[0]
    expected = reference("english", text)
    assert dict(zip(made.indices, made.values, strict=True)) == pytest.approx(expected)


def test_average_length_changes_the_weights() -> None:
    short, long = (Bm25Embeddings(avg_len=size).embed_documents(["cat"])[0] for size in (10, 500))
    assert short.indices == long.indices
    assert short.values < long.values


def test_query_in_several_languages_is_the_union_of_each() -> None:
    bm25 = Bm25Embeddings()
    query = "commit busca running"  # in no language more likely than in all others
    alone = [set(bm25.embed_query_in(query, [language]).indices) for language in ("en", "pt")]
    together = bm25.embed_query_in(query, ["en", "pt"])
    assert alone[0] != alone[1]
    assert set(together.indices) == alone[0] | alone[1]
    assert together.values == [1.0] * len(together.indices)


def test_stem_of_another_language_than_the_querys_own_weighs_less() -> None:
    bm25 = Bm25Embeddings()
    query = "Which houses were compared with the running interpreters of TraceMonkey?"
    own, other = (set(bm25.embed_query_in(query, [language]).indices) for language in ("en", "fr"))
    together = bm25.embed_query_in(query, ["en", "fr"])
    weights = dict(zip(together.indices, together.values, strict=True))
    assert own - other
    assert other - own
    assert own & other
    assert {weights[index] for index in own} == {1.0}
    assert {weights[index] for index in other - own} == {FOREIGN_STEM}
    # Without passages in its own language there is nothing for them to outrank.
    assert set(bm25.embed_query_in(query, ["fr", "pt"]).values) == {1.0}


def test_code_and_name_of_a_language_are_the_same() -> None:
    bm25 = Bm25Embeddings()
    for code, name in LANGUAGES.items():
        assert bm25.embed_query_in("running houses", [code]) == bm25.embed_query_in(
            "running houses", [name]
        )


@pytest.mark.parametrize("language", ["xx", "none", "", "pl", "ta", "hy", "ja"])
def test_document_of_unknown_language_keeps_every_word(language: str) -> None:
    (made,) = Bm25Embeddings(language or "xx").embed_documents(["the houses"])
    assert len(made.indices) == 2


def test_only_stop_words_give_an_empty_query() -> None:
    query = Bm25Embeddings("english").embed_query("the of and")
    assert (query.indices, query.values) == ([], [])


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("机器学习是人工智能的一个分支。", "学习"),
        ("机器学习是人工智能的一个分支。", "人工智能"),
        ("机器学习是人工智能的一个分支。", "是"),
        ("東京都の人口は千四百万人です。", "人口"),
        ("コンピューターを使う", "コンピューター"),
        ("기계 학습은 인공지능의 한 분야이다", "학습"),
        ("기계 학습은 인공지능의 한 분야이다", "인공지능"),
        ("สวัสดีชาวโลก", "ชาวโลก"),
        ("ທ່ານສະບາຍດີບໍ", "ສະບາຍດີ"),
        ("Das Wort 机器学习 im Text", "机器"),
        ("Das Wort 机器学习 im Text", "Wort"),
        ("Привет, мир", "мир"),
        ("שלום עולם", "עולם"),
        ("a\0b nul\0", "nul"),
        ("half \ud83d of a pair", "pair"),
    ],
)
def test_word_inside_a_text_of_any_script_is_found(text: str, query: str) -> None:
    bm25 = Bm25Embeddings("xx")
    document = bm25.embed_documents([text])[0]
    asked = bm25.embed_query(query)
    assert asked.indices
    assert set(asked.indices) <= set(document.indices)


def test_pairs_do_not_match_another_order() -> None:
    bm25 = Bm25Embeddings("zh")
    document = bm25.embed_documents(["机器学习"])[0]
    assert not set(bm25.embed_query("习学").indices) & set(document.indices)


def test_very_long_text_is_embedded_whole() -> None:
    text = " ".join(f"word{number}" for number in range(10_000))
    (made,) = Bm25Embeddings().embed_documents([text])
    assert len(made.indices) > 9_990  # but for hash collisions
    assert len(Bm25Embeddings().embed_query(text).indices) == len(made.indices)
