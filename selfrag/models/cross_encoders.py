"""Cross-encoders whose files are fetched once: FlashRank's and FastEmbed's.

Looking for a model never delays anybody: its files are either complete in the cache folder,
or a background thread tries to fetch them once while the stage is reported as skipped, with
the reason and what would bring the model.

    absent -> fetching (how far) -> ready | unavailable (why)
"""

import logging
import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from selfrag.errors import ModelError
from selfrag.models.fetching import Report, fetch_files, fetch_zip, hub
from selfrag.models.rerankers import RerankerState

logger = logging.getLogger(__name__)

BATCH = 32  #: pairs in one inference; all of one are padded to the longest
FILES = ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")


class FetchedReranker(ABC):
    """A cross-encoder kept in a folder of its own. May be shared by threads.

    Args:
        name: what ``RERANKER_MODEL`` calls it.
        folder: where its files are, or will be: under STORAGE_DIR, so that no system folder
            loses them at night.
        files: all that must be there.
        source: where a person finds them.
    """

    def __init__(self, name: str, folder: Path, files: Sequence[str], source: str) -> None:
        self.name = name
        self._folder = folder
        self._files = tuple(files)
        self._source = source
        self._lock = threading.Lock()
        self._model: Any = None
        self._failure: str | None = None
        self._progress = ""
        self.state = RerankerState.READY if self._complete() else RerankerState.ABSENT

    @property
    def reason(self) -> str | None:
        """Why it cannot be used now and what to do; None where it can."""
        if self.state is RerankerState.READY:
            return None
        if self.state is RerankerState.FETCHING:
            return f"{self.name} is being fetched{self._progress}; the next question may have it"
        why = f" ({self._failure})" if self._failure else ""
        return (
            f"the files of {self.name} are not on this machine{why}: with a network they are "
            f"fetched on first use, without one put those of {self._source} into {self._folder}"
        )

    def fetch(self, *, wait: bool = False) -> None:
        """Start fetching the files in the background, once; returns at once unless told to wait."""
        with self._lock:
            if self.state is not RerankerState.ABSENT:
                return
            self.state = RerankerState.FETCHING
        thread = threading.Thread(target=self._fetch, name="fetch-reranker", daemon=True)
        thread.start()
        if wait:
            thread.join()

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score a text, 0 to 1, in their order; loads the model on first use.

        Raises:
            ModelError: the model is not here (its files are then asked for), or is damaged.
        """
        # Files that were put there by hand meanwhile count.
        if self.state is not RerankerState.FETCHING and self._model is None and self._complete():
            self.state = RerankerState.READY
        if self.state is not RerankerState.READY:
            self.fetch()
            raise ModelError(self.reason or "")
        model = self._loaded()
        scores: list[float] = []
        for start in range(0, len(texts), BATCH):
            scores += self._score(model, query, texts[start : start + BATCH])
        return scores

    @abstractmethod
    def _download(self, report: Report) -> None:
        """Bring the files; raises where that fails, and leaves nothing half done."""

    @abstractmethod
    def _load(self) -> Any:
        """The model, from its folder, without a network."""

    @abstractmethod
    def _score(self, model: Any, query: str, texts: Sequence[str]) -> list[float]:
        """One score a text, 0 to 1, in their order."""

    def _loaded(self) -> Any:
        with self._lock:
            if self._model is None:
                try:
                    self._model = self._load()
                except Exception as error:  # any fault of the files: the stage says so
                    self._failure = f"{type(error).__name__}: {error}"
                    self.state = RerankerState.UNAVAILABLE
                    raise ModelError(
                        f"{self.name} cannot be loaded ({self._failure}): delete "
                        f"{self._folder} and start again to fetch it anew"
                    ) from error
            return self._model

    def _complete(self) -> bool:
        return all(
            (path := self._folder / file).is_file() and path.stat().st_size for file in self._files
        )

    def _fetch(self) -> None:
        try:
            self._download(self._told)
            if not self._complete():
                raise FileNotFoundError(f"{self._source} lacks files that are needed")
            self.state = RerankerState.READY
        except Exception as error:  # whatever hinders it: told by reason, tried at the next start
            logger.warning("%s could not be fetched: %s", self.name, error)
            self._failure = str(error).splitlines()[0] if str(error) else type(error).__name__
            self.state = RerankerState.UNAVAILABLE

    def _told(self, done: int, whole: int | None) -> None:
        of = "" if whole is None else f" of {whole / 1e6:.0f}"
        self._progress = f" ({done / 1e6:.0f}{of} MB)"


class FlashRankReranker(FetchedReranker):
    """A FlashRank cross-encoder, in ``cache_dir/<name>/``. Its names are ``flashrank_names``."""

    def __init__(self, name: str, cache_dir: Path) -> None:
        files = (*FILES, flashrank_names()[name])
        self._cache = cache_dir
        source = f"{name}.zip from huggingface.co/prithivida/flashrank"
        super().__init__(name, cache_dir / name, files, source)

    def _download(self, report: Report) -> None:
        # Not FlashRank's own way: it asks without a time limit, and says nothing meanwhile.
        url = hub(f"prithivida/flashrank/resolve/main/{self.name}.zip")
        fetch_zip(url, self._files, self._folder, report)

    def _load(self) -> Any:
        from flashrank import Ranker

        return Ranker(self.name, cache_dir=str(self._cache), log_level="WARNING")

    def _score(self, model: Any, query: str, texts: Sequence[str]) -> list[float]:
        from flashrank import RerankRequest

        scores = [0.0] * len(texts)
        # Copies: FlashRank writes scores into the passages it is given and sorts them.
        passages = [{"id": number, "text": text} for number, text in enumerate(texts)]
        for passage in model.rerank(RerankRequest(query=query, passages=passages)):
            scores[passage["id"]] = float(passage["score"])
        return scores


class FastembedReranker(FetchedReranker):
    """A cross-encoder that FastEmbed knows; its names are ``fastembed_names``."""

    #: What newer repositories leave out, and FastEmbed does without.
    OPTIONAL = frozenset({"config.json", "special_tokens_map.json"})

    def __init__(self, name: str, cache_dir: Path) -> None:
        known = fastembed_names()[name]
        self._repository = known["sources"]["hf"]
        self._weights = (known["model_file"], *known["additional_files"])
        needed = (*(file for file in FILES if file not in self.OPTIONAL), *self._weights)
        source = f"huggingface.co/{self._repository} ({', '.join(needed)})"
        super().__init__(name, cache_dir / name.replace("/", "--"), needed, source)

    def _download(self, report: Report) -> None:
        names = (*self._weights, *FILES)  # the large ones first: those one wants to see coming
        urls = {name: hub(f"{self._repository}/resolve/main/{name}") for name in names}
        fetch_files(urls, self._folder, report, self.OPTIONAL)

    def _load(self) -> Any:
        from fastembed.rerank.cross_encoder import TextCrossEncoder

        return TextCrossEncoder(
            self.name,
            cache_dir=str(self._folder.parent),
            specific_model_path=str(self._folder),
            local_files_only=True,
        )

    def _score(self, model: Any, query: str, texts: Sequence[str]) -> list[float]:
        # FastEmbed gives the model's logits.
        return [_sigmoid(float(logit)) for logit in model.rerank(query, list(texts))]


def flashrank_names() -> dict[str, str]:
    """FlashRank's cross-encoders -> the file that holds each one's weights."""
    from flashrank.Config import listwise_rankers, model_file_map

    return {name: file for name, file in model_file_map.items() if name not in listwise_rankers}


def fastembed_names() -> dict[str, dict[str, Any]]:
    """FastEmbed's cross-encoders -> what it knows of each."""
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    return {known["model"]: known for known in TextCrossEncoder.list_supported_models()}


def _sigmoid(logit: float) -> float:
    return 1 / (1 + math.exp(-logit)) if logit >= 0 else math.exp(logit) / (1 + math.exp(logit))
