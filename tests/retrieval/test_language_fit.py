"""What is said of passages in a language that the embedding model does not know."""

from selfrag.retrieval.language_fit import language_fit


def test_one_candidate_and_several_are_told_each_in_their_grammar() -> None:
    known = frozenset({"en"})
    one = language_fit({"a": "pt", "b": "en"}, known).note("m", 0.4, 0.1)
    two = language_fit({"a": "pt", "b": "pt"}, known).note("m", 0.4, 0.1)
    assert one == (
        "1 candidate is in a language that m does not know (pt): its dense weight is 0.1 instead "
        "of 0.4"
    )
    assert two is not None and two.startswith("2 candidates are in a language")
    assert ": their dense weight" in two
