"""Labels are exported for the person who looks, also from the thread that makes the files."""

from types import SimpleNamespace
from typing import Any

import pytest

from selfrag.ui import compare_labels


def test_who_looks_is_known_when_the_file_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    makers: list[Any] = []
    monkeypatch.setattr(
        compare_labels.st, "download_button", lambda label, data, *_, **__: makers.append(data)
    )
    person = ["ana"]
    monkeypatch.setattr(compare_labels, "owner", lambda: person[0])
    labels = SimpleNamespace(beir=lambda who: ("beir", who), trec=lambda who: ("trec", who))
    compare_labels._in_and_out(SimpleNamespace(labels=labels))
    person[0] = "nobody"
    assert [make() for make in makers] == [("beir", "ana"), ("trec", "ana")]
