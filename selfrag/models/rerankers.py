"""Cross-encoders that reorder the best passages: FlashRank's, when their files are here.

Looking for a model never delays anybody: its files are either complete in the cache folder,
or a background thread tries to fetch them once while the stage is reported as skipped, with
the reason and what would bring the model.

    absent -> fetching -> ready | unavailable (why)
"""

import shutil
import tempfile
import threading
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import requests

from selfrag.errors import ModelError, UserError

BATCH = 32  #: pairs in one inference; FlashRank puts all it is given into one padded batch
FILES = ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")


class RerankerState(StrEnum):
    """Whether the model can be used now."""

    OFF = "off"
    ABSENT = "absent"
    FETCHING = "fetching"
    READY = "ready"
    UNAVAILABLE = "unavailable"


class Reranker(Protocol):
    """Scores passages against a query, each pair read together."""

    name: str
    state: RerankerState

    @property
    def reason(self) -> str | None:
        """Why it cannot be used now and what to do; None where it can."""
        ...

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score a text, 0 to 1, in their order.

        Raises:
            ModelError: the model cannot be used now.
        """
        ...


class NoReranker:
    """The reranker of ``RERANKER_MODEL=none``."""

    name = "none"
    state = RerankerState.OFF
    reason = "switched off by RERANKER_MODEL=none"

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        raise ModelError(self.reason)


class FlashRankReranker:
    """A FlashRank cross-encoder kept in ``cache_dir/<name>/``.

    Args:
        name: a name FlashRank knows.
        cache_dir: where its models are kept, so that no system folder loses them at night.

    Raises:
        UserError: the name is not one of FlashRank's.
    """

    def __init__(self, name: str, cache_dir: Path) -> None:
        from flashrank.Config import listwise_rankers, model_file_map

        known = dict(model_file_map)
        for listwise in listwise_rankers:
            known.pop(listwise, None)
        if name not in known:
            raise UserError(
                f"RERANKER_MODEL is {name!r}, which FlashRank does not know: it must be none or "
                f"one of {', '.join(sorted(known))}. Change it in .env or in the environment."
            )
        self.name = name
        self._cache = cache_dir
        self._files = (*FILES, known[name])
        self._lock = threading.Lock()
        self._ranker: object | None = None
        self._failure: str | None = None
        self.state = RerankerState.READY if self._complete() else RerankerState.ABSENT

    @property
    def reason(self) -> str | None:
        """Why it cannot be used now and what to do."""
        if self.state is RerankerState.READY:
            return None
        if self.state is RerankerState.FETCHING:
            return f"{self.name} is being fetched; the next question may have it"
        why = f" ({self._failure})" if self._failure else ""
        return (
            f"the files of {self.name} are not on this machine{why}: with a network they are "
            f"fetched on first use, without one unpack {self.name}.zip from "
            f"huggingface.co/prithivida/flashrank into {self._cache}"
        )

    def fetch(self) -> None:
        """Start fetching the files in the background, once; returns at once."""
        with self._lock:
            if self.state is not RerankerState.ABSENT:
                return
            self.state = RerankerState.FETCHING
        threading.Thread(target=self._fetch, name="fetch-reranker", daemon=True).start()

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score a text, 0 to 1, in their order; loads the model on first use."""
        from flashrank import RerankRequest

        if self.state is RerankerState.ABSENT and self._complete():
            self.state = RerankerState.READY
        if self.state is not RerankerState.READY:
            self.fetch()
            raise ModelError(self.reason or "")
        ranker = self._load()
        scores = [0.0] * len(texts)
        for start in range(0, len(texts), BATCH):
            # Copies: FlashRank writes scores into the passages it is given and sorts them.
            batch = [
                {"id": start + i, "text": text} for i, text in enumerate(texts[start:][:BATCH])
            ]
            for passage in ranker.rerank(RerankRequest(query=query, passages=batch)):  # type: ignore[attr-defined]
                scores[passage["id"]] = float(passage["score"])
        return scores

    def _load(self) -> object:
        from flashrank import Ranker

        with self._lock:
            if self._ranker is None:
                try:
                    self._ranker = Ranker(
                        self.name, cache_dir=str(self._cache), log_level="WARNING"
                    )
                except Exception as error:  # any fault of the files: the stage says so
                    self._failure = f"{type(error).__name__}: {error}"
                    self.state = RerankerState.UNAVAILABLE
                    raise ModelError(
                        f"{self.name} cannot be loaded ({self._failure}): delete "
                        f"{self._cache / self.name} and start again to fetch it anew"
                    ) from error
            return self._ranker

    def _complete(self) -> bool:
        folder = self._cache / self.name
        return all((folder / file).is_file() for file in self._files)

    def _fetch(self) -> None:
        """FlashRank's own download, into a folder beside, moved in place only when whole."""
        from flashrank import Ranker
        from flashrank.Config import model_url

        try:
            # FlashRank asks without a time limit: find out first whether anybody answers.
            requests.head(model_url.format(self.name), timeout=5).raise_for_status()
            self._cache.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=self._cache, prefix=".fetch-") as beside:
                Ranker(self.name, cache_dir=beside, log_level="WARNING")
                target = self._cache / self.name
                shutil.rmtree(target, ignore_errors=True)
                shutil.move(str(Path(beside) / self.name), target)
            self.state = RerankerState.READY if self._complete() else RerankerState.UNAVAILABLE
        except (
            Exception
        ) as error:  # whatever hinders it: reported by reason, asked again next start
            self._failure = str(error).splitlines()[0] if str(error) else type(error).__name__
            self.state = RerankerState.UNAVAILABLE


def make_reranker(name: str, cache_dir: Path) -> Reranker:
    """The reranker that ``RERANKER_MODEL`` names.

    Raises:
        UserError: FlashRank does not know the name.
    """
    return NoReranker() if name.lower() == "none" else FlashRankReranker(name, cache_dir)
