"""The funnel over a real index: modes, the record of every stage, bounds, filters."""

import pytest

from selfrag.errors import ModelError, UserError
from selfrag.index.bm25 import Bm25Embeddings
from selfrag.retrieval.funnel import Funnel, FunnelSettings
from selfrag.retrieval.result import Mode, StageStatus
from tests.retrieval.conftest import TEXTS

STAGES = ["dense", "bm25", "fusion", "mmr", "rerank", "parents"]
RAN = {
    Mode.BM25: {"bm25"},
    Mode.DENSE: {"dense"},
    Mode.HYBRID: {"dense", "bm25", "fusion"},
    Mode.HYBRID_MMR: {"dense", "bm25", "fusion", "mmr"},
    Mode.HYBRID_RERANK: {"dense", "bm25", "fusion", "rerank"},
    Mode.FULL: set(STAGES) - {"mmr"},
}


@pytest.mark.parametrize("mode", list(Mode))
def test_mode_runs_its_stages_and_names_the_others_as_off(funnel: Funnel, mode: Mode):
    found = funnel.search("patent royalty", mode)
    assert [stage.name for stage in found.stages] == STAGES
    assert {s.name for s in found.stages if s.status is StageStatus.RAN} == RAN[mode]
    assert {s.name for s in found.stages if s.status is StageStatus.OFF} == set(STAGES) - RAN[mode]
    assert found.hits
    assert "patent" in found.hits[0].text.lower()


def test_every_hit_has_rank_and_score_of_each_stage_it_passed(funnel: Funnel):
    found = funnel.search("patent royalty", Mode.FULL)
    best = found.hits[0]
    assert set(best.scores) >= {"dense", "fusion", "rerank"}
    for name, score in best.scores.items():
        assert found.lists[name][score.rank - 1] == best.chunk_id


def test_word_that_only_keyword_search_knows_is_found(funnel: Funnel):
    assert "XK-4471" in funnel.search("XK-4471", Mode.BM25).hits[0].text


def test_other_words_for_the_same_thing_are_found_by_dense_search(funnel: Funnel):
    assert "canteen" in funnel.search("When can I have lunch?", Mode.DENSE).hits[0].text


def test_children_of_one_parent_give_it_once_at_its_best_rank(funnel: Funnel):
    found = funnel.search("patent royalty", Mode.FULL, k=6)
    parents = [hit.parent_id for hit in found.hits]
    assert len(parents) == len(set(parents))
    joined = next(hit for hit in found.hits if len(hit.children) > 1)
    assert joined.children[0] == joined.chunk_id
    assert joined.text in joined.parent_text


def test_search_in_chosen_documents_finds_nothing_of_the_others(funnel: Funnel):
    found = funnel.search("patent royalty", Mode.HYBRID, k=12, documents=["b"])
    assert {hit.document_id for hit in found.hits} == {"b"}
    assert funnel.search("patent", Mode.FULL, documents=[]).hits == ()


def test_reranker_that_is_not_there_is_reported_as_skipped_with_the_cure(funnel, reranker):
    reranker.reason = "the files are not on this machine: fetch them"
    found = funnel.search("patent royalty", Mode.FULL)
    stage = next(stage for stage in found.stages if stage.name == "rerank")
    assert (stage.status, stage.reason) == (StageStatus.SKIPPED, reranker.reason)
    assert found.hits


def test_dense_search_that_cannot_be_had_is_skipped_and_bm25_goes_on(index, embeddings, reranker):
    class Unreachable:
        def embed_query(self, text: str) -> list[float]:
            raise ModelError("The endpoint does not answer: check LLM_BASE_URL.")

    funnel = Funnel(index, Unreachable(), Bm25Embeddings(), reranker, lambda: ["en"])
    found = funnel.search("patent", Mode.HYBRID)
    status = {stage.name: stage.status for stage in found.stages}
    assert status["dense"] is status["fusion"] is StageStatus.SKIPPED
    assert "patent" in found.hits[0].text.lower()


def test_reranker_reads_at_most_32_passages(index, embeddings, reranker):
    funnel = Funnel(
        index,
        embeddings,
        Bm25Embeddings(),
        reranker,
        lambda: ["en"],
        FunnelSettings(k_initial=100),
    )
    funnel.search("the invoice of the patent", Mode.HYBRID_RERANK)
    assert reranker.given[0] <= 32


def test_full_thins_near_repeats_only_where_the_settings_say_so(index, embeddings, reranker):
    funnel = Funnel(index, embeddings, Bm25Embeddings(), reranker, lambda: ["en"])
    stage = {s.name: s for s in funnel.search("patent royalty", Mode.FULL).stages}["mmr"]
    assert stage.status is StageStatus.OFF
    assert "FULL_MMR" in (stage.reason or "")
    funnel.settings = FunnelSettings(full_mmr=True)
    assert "mmr" in funnel.search("patent royalty", Mode.FULL).lists


def test_dense_weight_falls_for_passages_in_a_language_the_model_does_not_know(
    index, embeddings, reranker, monkeypatch
):
    monkeypatch.setattr(embeddings, "languages", frozenset({"pt"}))
    settings = FunnelSettings(dense_weight=0.4, dense_weight_foreign=0.1)
    funnel = Funnel(index, embeddings, Bm25Embeddings(), reranker, lambda: ["en"], settings)
    found = funnel.search("patent royalty", Mode.HYBRID, k=12)
    stage = next(stage for stage in found.stages if stage.name == "fusion")
    assert stage.note is not None
    assert "all-MiniLM-L6-v2 does not know (en)" in stage.note
    assert "0.1 instead of 0.4" in stage.note
    only_dense = [hit.scores["fusion"].score for hit in found.hits if "bm25" not in hit.scores]
    assert only_dense
    assert max(only_dense) <= 0.1 + 1e-9


def test_known_languages_and_models_of_many_change_no_weight(index, embeddings, reranker):
    for known in (frozenset({"en"}), None):
        embeddings_ = type("E", (), {"languages": known, "name": "m"})()
        embeddings_.embed_query = embeddings.embed_query
        funnel = Funnel(index, embeddings_, Bm25Embeddings(), reranker, lambda: ["en"])
        found = funnel.search("patent royalty", Mode.HYBRID)
        assert all(stage.note is None for stage in found.stages)


def test_rrf_can_be_chosen(index, embeddings, reranker):
    settings = FunnelSettings(fusion="rrf")
    funnel = Funnel(index, embeddings, Bm25Embeddings(), reranker, lambda: ["en"], settings)
    best = funnel.search("patent royalty", Mode.HYBRID).hits[0]
    expected = sum(1 / (60 + best.scores[name].rank) for name in ("dense", "bm25"))
    assert best.scores["fusion"].score == pytest.approx(expected)


@pytest.mark.parametrize("query", ["", "   \n\t", "\x00", "\u200b", " \ufeff\u200d\u2060 "])
def test_blank_question_is_refused(funnel: Funnel, query: str):
    with pytest.raises(UserError, match="empty"):
        funnel.search(query)


def test_question_of_20000_characters_is_refused_with_the_limit(funnel: Funnel):
    with pytest.raises(UserError, match=r"20,000 characters; at most 8,000"):
        funnel.search("x" * 20_000)


@pytest.mark.parametrize("k", [0, -1, 101, 1_000_000])
def test_k_out_of_bounds_is_refused(funnel: Funnel, k: int):
    with pytest.raises(UserError, match="1 to 100"):
        funnel.search("patent", k=k)


@pytest.mark.parametrize("query", ["the of and", "専利", "a\x00b patent", "' OR 1=1 --"])
def test_odd_queries_are_searched_without_a_fault(funnel: Funnel, query: str):
    assert funnel.search(query, Mode.FULL).query


def test_query_of_10000_words_is_refused_with_the_limit(funnel: Funnel):
    with pytest.raises(UserError, match="at most 8,000"):
        funnel.search("patent " * 10_000)


def test_unknown_mode_is_refused_with_the_known_ones(funnel: Funnel):
    with pytest.raises(UserError, match=r"no mode 'best'.*hybrid_rerank"):
        funnel.search("patent", "best")


@pytest.mark.parametrize("mode", list(Mode))
def test_query_of_stop_words_only_finds_nothing_by_words_and_is_no_fault(funnel: Funnel, mode):
    found = funnel.search("the of and", mode)
    assert found.lists.get("bm25", ()) == ()
    assert bool(found.hits) == (mode is not Mode.BM25)
    (stage,) = (stage for stage in found.stages if stage.name == "bm25")
    assert (stage.note is None) == (mode is Mode.DENSE)
    assert bool(found.notes) == (mode is Mode.BM25)


def test_passage_that_is_deleted_while_it_is_found_is_left_out(index, embeddings, reranker):
    class Deleting:
        """The index, from which the best passage vanishes between search and reading."""

        gone = ""

        def __getattr__(self, name):
            return getattr(index, name)

        def search(self, *args):
            found = index.search(*args)
            self.gone = str(found["bm25"][0].id)
            return found

        def passages(self, ids):
            return {key: text for key, text in index.passages(ids).items() if key != self.gone}

    deleting = Deleting()
    funnel = Funnel(deleting, embeddings, Bm25Embeddings(), reranker, lambda: ["en"])
    for mode in Mode:
        if mode is not Mode.DENSE:
            hits = funnel.search("patent royalty", mode, k=12).hits
            assert hits
            assert deleting.gone not in {child for hit in hits for child in hit.children}


def test_texts_are_read_of_the_passages_that_fusion_lets_through_only(index, embeddings, reranker):
    read: list[int] = []

    class Counting:
        def __getattr__(self, name):
            return getattr(index, name)

        def search(self, *args):
            found = index.search(*args)
            assert all(not point.payload for points in found.values() for point in points)
            return found

        def passages(self, ids):
            read.append(len(ids))
            return index.passages(ids)

    settings = FunnelSettings(k_initial=5)
    funnel = Funnel(Counting(), embeddings, Bm25Embeddings(), reranker, lambda: ["en"], settings)
    assert len(funnel.search("patent royalty of the invoice", Mode.FULL).lists["fusion"]) > 5
    assert read == [5]


@pytest.mark.parametrize("k", [1, 3, 12])
def test_k_is_how_many_come_back_at_most(funnel: Funnel, k: int):
    assert len(funnel.search("patent invoice leave", Mode.HYBRID, k=k).hits) == min(k, len(TEXTS))


def test_json_contract(funnel: Funnel):
    data = funnel.search("patent", Mode.FULL).to_json()
    assert set(data) >= {"query", "mode", "hits", "stages"}
    assert set(data["hits"][0]) >= {"rank", "chunk_id", "document", "page", "text", "scores"}
    assert set(data["hits"][0]["scores"]["dense"]) == {"rank", "score"}
    assert set(data["stages"][0]) >= {"name", "status", "seconds"}
