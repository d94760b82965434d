"""How far a measurement is, where standard error is no terminal."""

from selfrag.interfaces.cli.measured import Lines


def test_a_line_stands_at_each_tenth_with_the_time_that_is_left() -> None:
    said: list[str] = []
    now = [0.0]
    progress = Lines(said.append, clock=lambda: now[0])
    progress("loading models", 0, 0)
    for done in range(301):
        progress("searching, bm25", done, 300)
        now[0] += 1.0
    assert said[:4] == [
        "loading models",
        "searching, bm25: 0 of 300",
        "searching, bm25: 30 of 300, about 4 min left",
        "searching, bm25: 60 of 300, about 4 min left",
    ]
    assert said[-1] == "searching, bm25: 300 of 300"
    assert len(said) == 12


def test_a_fast_stage_does_not_flood_a_log() -> None:
    said: list[str] = []
    progress = Lines(said.append, clock=lambda: 0.0)
    for done in range(301):
        progress("embedding passages", done, 300)
    progress("measuring", 0, 1)
    progress("measuring", 1, 1)
    assert said == ["embedding passages: 0 of 300", "embedding passages: 300 of 300", "measuring"]
