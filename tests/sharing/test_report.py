"""A run as an HTML file and as JSON: whole, self-contained, and safe whatever a document says."""

import json
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import pytest

from selfrag.errors import UserError
from selfrag.reflection import events
from selfrag.reflection.grades import Support
from selfrag.service import SelfRag
from selfrag.sharing import report
from selfrag.sharing.export import FORMAT, VERSION, export, export_text, read
from selfrag.sharing.report import html_report
from selfrag.sharing.shared import file_name
from tests.reflection.scripted import ScriptedJudge, make_run
from tests.support.pdf_factory import make_pdf

PNG = (
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\0\0\0\0:~\x9bU"
    b"\0\0\0\nIDATx\x9cc\xf8\0\0\0\1\0\1\0\0\0\0IEND\xaeB`\x82"
)
HOSTILE = "</title><script>alert(1)</script><img src=x onerror=alert(1)>\"'&\u202e\0"
TIDES = "The harbour of Saint Malo has a tidal range of thirteen metres. Ships wait for the flood."


class Reader(HTMLParser):
    """Collects what a browser would make of a file."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)


def no_page(*_: object) -> bytes:
    raise UserError("The document is gone.")


def page(*_: object) -> bytes:
    return PNG


def hostile_log() -> list[events.Event]:
    """Every text of every event says something hostile."""
    run = make_run(
        ScriptedJudge(support=lambda n: Support.NOT if n == 1 else Support.FULLY),
        question=HOSTILE,
    )
    run.result(20)

    def poison(value: object, name: str = "") -> object:
        if isinstance(value, dict):
            return {key: poison(inner, key) for key, inner in value.items()}
        if isinstance(value, list):
            return [poison(inner, name) for inner in value]
        fixed = {"step", "status", "support", "label", "verdict", "strategy", "retrieval", "mode"}
        return value + HOSTILE if isinstance(value, str) and name not in fixed else value

    citation = {
        "number": 1,
        "chunk_id": "c",
        "document_id": "d",
        "document": "a.pdf",
        "page": 1,
        "quote": "q",
    }
    dumped = [event.model_dump(mode="json") for event in run.log.kept()]
    dumped[-1] |= {"citations": [citation], "answer": "**Bold** words [1]", "reason": "because"}
    poisoned = [poison(event) for event in dumped]
    return [events.parse_event(event) for event in poisoned]


@pytest.mark.parametrize("pages", [page, no_page])
def test_hostile_names_and_texts_stay_text(pages):
    html = html_report(hostile_log(), pages)
    seen = Reader(html)
    assert "script" not in seen.tags
    assert seen.tags.count("img") == (pages is page)
    assert not any(name.startswith("on") for _, name, _ in seen.attributes)
    assert "<script>alert(1)</script>" in seen.text
    assert "\0" not in html
    html.encode("utf-8")


def test_file_asks_for_nothing_outside_itself():
    seen = Reader(html_report(hostile_log(), page))
    loads = [value for _, name, value in seen.attributes if name in ("src", "href", "srcset")]
    assert loads
    assert all(value.startswith(("data:", "#")) for value in loads)
    style = (Path(report.__file__).parent / "report.css").read_text(encoding="utf-8")
    assert "url(" not in style and "@import" not in style
    policy = next(value for tag, name, value in seen.attributes if "default-src" in value)
    assert "default-src 'none'" in policy


def test_report_of_a_real_run_holds_question_verdict_steps_evidence_and_settings(
    rag: SelfRag, tmp_path: Path
):
    list(rag.ingest([make_pdf(tmp_path / "harbour.pdf", [TIDES])]))
    run = rag.start("What is the tidal range of Saint Malo?")
    run.result(60)
    seen = Reader(rag.sharing.html(run.id))
    for said in (
        "What is the tidal range of Saint Malo?",
        "Answered and grounded",
        "thirteen metres",
        "How was this answered?",
        "no language model was used",
        "Decided to look in your documents",
        "harbour.pdf",
        "Strategy",
        run.id,
    ):
        assert said in seen.text, said
    picture = next(value for tag, name, value in seen.attributes if (tag, name) == ("img", "src"))
    assert picture.startswith("data:image/png;base64,") and len(picture) > 10_000
    assert ("a", "href", "#source-1") in seen.attributes
    assert ("figure", "id", "source-1") in seen.attributes
    assert re.search(r"\d{1,2} \w+ 20\d\d, \d\d:\d\d UTC", seen.text)


def test_report_survives_the_deletion_of_its_document(rag: SelfRag, tmp_path: Path):
    (result,) = rag.ingest([make_pdf(tmp_path / "harbour.pdf", [TIDES])])
    run = rag.start("What is the tidal range of Saint Malo?")
    run.result(60)
    assert result.document_id
    rag.delete(result.document_id)
    seen = Reader(rag.sharing.html(run.id))
    assert "img" not in seen.tags
    assert "The page can’t be shown" in seen.text
    assert "thirteen metres" in seen.text


def test_export_is_read_back_as_the_same_log():
    run = make_run()
    run.result(20)
    assert read(export_text(run.log.snapshot())) == run.log.kept()
    about = export(run.log.kept())
    assert (about["format"], about["version"]) == (FORMAT, VERSION)
    assert about["run_id"] == run.id


def test_report_of_an_export_is_the_report_of_the_run():
    run = make_run()
    run.result(20)
    assert html_report(read(export_text(run.log.kept())), page) == html_report(
        run.log.snapshot(), page
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"version": VERSION + 1}, "newer version"),
        ({"version": "1"}, "doesn't say its version"),
        ({"version": True}, "doesn't say its version"),
        ({"version": -1}, "doesn't say its version"),
        ({"events": {}}, "can't be read"),
        ({"events": []}, "without events"),
        ({"format": "other"}, "no shared run"),
        ({"events": [{"step": "nothing"}]}, "can't be read"),
        ({"events": 3}, "can't be read"),
    ],
)
def test_file_that_is_no_export_is_refused_with_what_to_do(change: dict, said: str):
    run = make_run()
    run.result(20)
    with pytest.raises(UserError, match=said):
        read(json.dumps(export(run.log.kept()) | change))


@pytest.mark.parametrize("text", ["", "[]", "{", "3", "[" * 200_000], ids=range(5))
def test_file_that_is_no_object_is_refused(text: str):
    with pytest.raises(UserError):
        read(text)


def test_run_under_way_and_unknown_run_are_refused(rag: SelfRag):
    run = make_run()
    begun: Sequence[events.Event] = run.log.snapshot()[:1]
    with pytest.raises(UserError, match="not ended"):
        html_report(begun, page)
    with pytest.raises(UserError, match="not ended"):
        export(begun)
    with pytest.raises(UserError, match="no run"):
        rag.sharing.html("0")


def test_file_name_is_one_that_every_system_takes():
    assert file_name("What is “it”: a/b?", ".html") == "self-rag What is it a b.html"
    assert file_name("../..", ".json") == "self-rag.json"
    assert len(file_name("why " * 500, ".html")) < 90
