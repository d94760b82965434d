"""A task from a folder and the settings: what the command line and the page measure."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from selfrag.evaluation.beir import read_beir
from selfrag.evaluation.cutting import Cutting
from selfrag.evaluation.retrieval_study import Task
from selfrag.evaluation.strata import read_labels
from selfrag.evaluation.study import MEASURES
from selfrag.retrieval.funnel import FunnelSettings
from selfrag.retrieval.variant import Variant
from selfrag.settings import Settings

if TYPE_CHECKING:
    from selfrag.models.embeddings import EmbeddingModel
    from selfrag.models.rerankers import Reranker


def task_of(
    folder: Path,
    settings: Settings,
    variants: Sequence[Variant],
    *,
    split: str = "test",
    measure: str = MEASURES[0],
    chunked: bool = False,
) -> Task:
    """The task of measuring ``variants`` on the set in ``folder`` with these settings.

    Raises:
        UserError: the folder is no set in BEIR layout, or is damaged.
    """
    storage = settings.storage_dir.expanduser()

    def open_models() -> "tuple[EmbeddingModel, Reranker]":
        from selfrag.models.cross_encoders import FetchedReranker
        from selfrag.models.embeddings import make_embeddings
        from selfrag.models.rerankers import make_reranker

        models = storage / "models"
        reranker = make_reranker(settings.reranker_model, models / "rerankers")
        if isinstance(reranker, FetchedReranker):
            reranker.fetch(wait=True)
        return make_embeddings(settings, models), reranker

    return Task(
        data=read_beir(folder, split=split),
        variants=tuple(variants),
        models=models_of(settings),
        open_models=open_models,
        folder=storage / "evaluation",
        settings=FunnelSettings.of(settings),
        cutting=Cutting(
            chunked, settings.chunk_size, settings.chunk_overlap, settings.parent_chunk_size
        ),
        labels=read_labels(folder),
        measure=measure,
    )


def models_of(settings: Settings) -> dict[str, str]:
    """The models that a search asks, by what they do."""
    return {
        "embedding model": settings.embedding_model,
        "reranker": settings.reranker_model,
        "endpoint": settings.llm_endpoint or "none",
    }
