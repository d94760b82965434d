"""One question in several variants: numbers that stay, what is shared, one that fails alone."""

import time
from dataclasses import replace

import pytest

from selfrag.errors import ModelError, UserError
from selfrag.models.packaged import PackagedEmbeddings
from selfrag.retrieval.comparison import compare
from selfrag.retrieval.funnel import Funnel, FunnelSettings
from selfrag.retrieval.result import Mode, Retrieval
from selfrag.retrieval.variant import Variant
from selfrag.ui import compare_words

QUESTION = "How much is the patent royalty?"


@pytest.fixture
def search(funnel: Funnel):
    def one(question: str, variant: Variant):
        own = variant.applied(funnel.settings)
        return funnel.search(question, variant.mode, k=variant.k or 4, settings=own)

    return one


@pytest.mark.parametrize(
    "text", ["bm25", "hybrid:fusion=rrf", "hybrid:dense_weight=0.2,k=10", "full:k=3", "dense:k=1"]
)
def test_variant_is_read_as_it_is_written(text: str) -> None:
    assert str(Variant.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("best", "no mode"),
        ("hybrid:lambda=1", "no parameter"),
        ("hybrid:k=many", "no number"),
        ("hybrid:k=0", "1 to 100"),
        ("hybrid:dense_weight=2", "0 to 1"),
        ("hybrid:fusion=sum", "no fusion"),
        ("hybrid:fusion=rrf,dense_weight=0.2", "ranks only"),
        ("bm25:dense_weight=0.2", "merges nothing"),
    ],
)
def test_variant_that_makes_no_sense_is_refused_with_a_way_out(text: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        Variant.parse(text)


def test_parameters_reach_one_search_and_no_other(funnel: Funnel, search) -> None:
    before = funnel.settings
    by_words = search(QUESTION, Variant(Mode.HYBRID, dense_weight=0.0))
    bm25 = search(QUESTION, Variant(Mode.BM25))
    fused = [hit.chunk_id for hit in by_words.hits if "bm25" in hit.scores]
    assert fused == [hit.chunk_id for hit in bm25.hits][: len(fused)]
    assert funnel.settings is before
    assert Variant(Mode.HYBRID, fusion="rrf").applied(FunnelSettings()).fusion == "rrf"
    weighed = Variant(Mode.HYBRID, dense_weight=0.1).applied(FunnelSettings(fusion="rrf"))
    assert (weighed.fusion, weighed.dense_weight, weighed.dense_weight_foreign) == (
        "convex",
        0.1,
        0.1,
    )


def test_passage_has_one_number_in_every_list(search) -> None:
    variants = [Variant(mode) for mode in (Mode.BM25, Mode.DENSE, Mode.HYBRID, Mode.FULL)]
    found = compare(search, QUESTION, variants)
    assert [p.number for p in found.passages] == list(range(1, len(found.passages) + 1))
    assert len({p.chunk_id for p in found.passages}) == len(found.passages)
    for index, outcome in enumerate(found.outcomes):
        for hit in outcome.hits:
            first = found.of_hit(hit)[0]
            assert first.chunk_id == hit.chunk_id
            assert first.places[index] == hit.rank
    assert found.passages[0].chunk_id == found.outcomes[0].hits[0].chunk_id


def test_a_parent_stands_for_every_child_that_led_to_it(search) -> None:
    found = compare(search, QUESTION, [Variant(Mode.HYBRID, k=12), Variant(Mode.FULL, k=6)])
    parent = next(hit for hit in found.outcomes[1].hits if len(hit.children) > 1)
    assert {p.chunk_id for p in found.of_hit(parent)} == set(parent.children)
    assert all(p.places[1] == parent.rank for p in found.of_hit(parent))


def test_mode_that_cannot_search_leaves_the_others_alone(search) -> None:
    def broken(question: str, variant: Variant):
        if variant.mode is Mode.DENSE:
            raise ModelError("the endpoint does not answer")
        return search(question, variant)

    found = compare(broken, QUESTION, [Variant(Mode.DENSE), Variant(Mode.BM25)])
    assert found.outcomes[0].error == "the endpoint does not answer"
    assert found.answering == (1,)
    assert found.passages and all(p.places[0] is None for p in found.passages)


@pytest.mark.parametrize(
    "modes", [["bm25"], ["bm25", "bm25"], [f"dense:k={n}" for n in range(1, 8)]]
)
def test_comparison_needs_two_to_six_that_differ(search, modes: list[str]) -> None:
    with pytest.raises(UserError, match="two to 6"):
        compare(search, QUESTION, [Variant.parse(mode) for mode in modes])


def test_sentences_say_what_the_charts_show(search) -> None:
    found = compare(search, QUESTION, [Variant(Mode.BM25), Variant(Mode.HYBRID)])
    total = len(found.passages)
    common = sum(p.finders == 2 for p in found.passages)
    assert f"{common} of {total} passages" in compare_words.overlap(found)
    same = compare(search, QUESTION, [Variant(Mode.BM25), Variant(Mode.BM25, k=4)])
    assert "same order" in compare_words.overlap(same)
    assert "single list" in compare_words.moves(found.outcomes[0], found.passages, 0)
    assert "the fastest" in compare_words.seconds(found)


def timed(search, *seconds: float):
    """The search, as if one after another had taken these seconds."""
    left = iter(seconds)

    def one(question: str, variant: Variant) -> Retrieval:
        return replace(search(question, variant), seconds=next(left))

    return one


def test_time_is_the_median_after_a_first_search_that_loads(search) -> None:
    variants = [Variant(Mode.BM25), Variant(Mode.DENSE)]
    slow_once = timed(search, 0.4, 0.003, 0.016, 0.004, 0.001, 0.005, 0.006, 0.007)
    found = compare(slow_once, QUESTION, variants)
    assert [it.retrieval.seconds for it in found.outcomes if it.retrieval] == [0.004, 0.006]


def test_time_of_dense_search_is_that_of_a_question_nobody_asked_before(
    search, embeddings: PackagedEmbeddings, monkeypatch: pytest.MonkeyPatch
) -> None:
    embed = embeddings._embed_query

    def slowly(query: str) -> list[float]:
        time.sleep(0.05)
        return embed(query)

    monkeypatch.setattr(embeddings, "_embed_query", slowly)
    search(QUESTION, Variant(Mode.DENSE))  # its vector is remembered from here on
    found = compare(search, QUESTION, [Variant(Mode.BM25), Variant(Mode.DENSE)])
    bm25, dense = (it.retrieval for it in found.outcomes)
    assert bm25 is not None and dense is not None
    assert dense.seconds > 0.05
    stage = {it.name: it for it in dense.stages}["dense"]
    assert stage.seconds is not None and stage.seconds > 0.05
    assert compare_words.seconds(found).startswith("bm25 was the fastest")


def test_slow_search_is_not_repeated(search) -> None:
    found = compare(timed(search, 0.7, 3.0), QUESTION, [Variant(Mode.BM25), Variant(Mode.DENSE)])
    assert [it.retrieval.seconds for it in found.outcomes if it.retrieval] == [0.7, 3.0]


def test_why_full_differs_is_told_beside_hybrid_only() -> None:
    assert "parents" in (compare_words.beside_hybrid([Mode.FULL, Mode.HYBRID]) or "")
    assert compare_words.beside_hybrid([Mode.FULL, Mode.DENSE]) is None


def test_ordinals() -> None:
    assert [compare_words.ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 112)] == [
        *("1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th")
    ]
