"""Stand-ins for models that are not on every machine."""

from collections.abc import Sequence

from selfrag.errors import ModelError
from selfrag.models.rerankers import RerankerState


class FakeReranker:
    """Scores a passage by how many of its words are long; remembers how many it was given."""

    name = "fake"
    state = RerankerState.READY
    reason: str | None = None

    def __init__(self) -> None:
        self.given: list[int] = []

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        if self.reason is not None:
            raise ModelError(self.reason)
        self.given.append(len(texts))
        return [sum(len(word) > 6 for word in text.split()) / 10 for text in texts]
