"""Query vectors are remembered, the least lately asked forgotten first."""

from selfrag.models.query_cache import QueryCache


def test_least_lately_asked_is_forgotten_first():
    made: list[str] = []

    def make(query: str) -> list[float]:
        made.append(query)
        return [float(len(made))]

    cache = QueryCache(2)
    for query in ("a", "b", "a", "c", "a", "b"):
        cache.vector(query, make)
    assert made == ["a", "b", "c", "b"]
    assert cache.vector("b", make) == [4.0]
