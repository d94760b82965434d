"""Query vectors are remembered, the least lately asked forgotten first."""

from selfrag.models.query_cache import QueryCache, made_anew


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


def test_vector_is_made_anew_where_that_is_wanted_and_remembered_after():
    made: list[str] = []

    def make(query: str) -> list[float]:
        made.append(query)
        return [float(len(made))]

    cache = QueryCache(2)
    assert cache.vector("a", make) == [1.0]
    with made_anew():
        assert cache.vector("a", make) == [2.0]
        assert cache.vector("a", make) == [3.0]
    assert cache.vector("a", make) == [3.0]
    assert made == ["a"] * 3
