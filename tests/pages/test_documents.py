"""The Documents page, run as Streamlit runs it, over a real library in a folder of its own."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from selfrag import process
from selfrag.documents import ocr
from selfrag.pages import Chunk, Page, PageKind, Span
from selfrag.records.documents import DocumentRecord, State
from selfrag.service import SelfRag
from selfrag.settings import Settings
from selfrag.ui.document_search import MOST, find
from selfrag.ui.documents_table import totals
from selfrag.ui.links import CHAT, to_quote
from selfrag.ui.literal import literal
from selfrag.ui.page_kinds import bar, in_words, left_out
from selfrag.ui.page_segments import segments
from selfrag.wording import duration, runs, size
from tests.support.library import add_records
from tests.support.pdf_factory import Empty, Scan, make_pdf

PAGE = Path(__file__).resolve().parents[2] / "pages" / "documents.py"
TIDES = "The harbour of Saint Malo has a tidal range of thirteen metres. Ships wait for the flood."


@pytest.fixture
def rag(tmp_path: Path) -> Iterator[SelfRag]:
    process.close()
    settings = Settings(_env_file=None, storage_dir=tmp_path / "storage", reranker_model="none")
    yield process.open_once(settings)
    process.close()


@pytest.fixture
def app(rag: SelfRag) -> AppTest:
    return AppTest.from_file(PAGE, default_timeout=60)


def texts(app: AppTest) -> str:
    """Everything that can be read on the page, as Markdown without its escapes."""
    drawn = (*app.title, *app.subheader, *app.markdown, *app.caption, *app.error, *app.warning)
    drawn += (*app.info, *app.button)
    shown = [str(getattr(element, "label", "") or element.value) for element in drawn]
    return "\n".join(shown).replace("\\", "").replace(":gray[]", "")


def upload(app: AppTest, rag: SelfRag, *paths: Path) -> None:
    files = [(path.name, path.read_bytes(), "application/pdf") for path in paths]
    app.file_uploader[0].set_value(files).run()
    assert rag.jobs.wait(timeout=60)
    app.run()
    assert not app.exception


def add(rag: SelfRag, path: Path) -> str:
    """Take a file in without the page; returns the document's id."""
    result = next(iter(rag.ingest([path])))
    assert result.document_id is not None, result.error
    return result.document_id


def open_at(app: AppTest, document_id: str, page: int = 1) -> None:
    app.query_params["document"] = document_id
    app.query_params["page"] = str(page)
    app.run()
    assert not app.exception


def test_an_empty_library_says_what_to_do(app: AppTest) -> None:
    app.run()
    assert not app.exception
    assert "Your library is empty" in texts(app)
    assert "Drop one or more PDFs" in texts(app)


def test_one_bad_file_does_not_keep_the_others_out(
    app: AppTest, rag: SelfRag, tmp_path: Path
) -> None:
    letter = tmp_path / "letter.docx"
    letter.write_bytes(b"PK\x03\x04 an office document")
    empty = tmp_path / "empty.pdf"
    empty.write_bytes(b"")
    app.run()
    upload(app, rag, letter, empty, make_pdf(tmp_path / "tides.pdf", [TIDES]))
    shown = texts(app)
    assert "1 document is ready, 2 files could not be taken in" in shown
    assert "letter.docx is not a PDF, it seems to be a ZIP archive or an Office document" in shown
    assert "empty.pdf is empty (0 bytes)" in shown
    assert [record.name for record in rag.ready()] == ["tides.pdf"]


def test_the_drop_area_is_empty_again_and_nothing_is_submitted_twice(
    app: AppTest, rag: SelfRag, tmp_path: Path
) -> None:
    app.run()
    upload(app, rag, make_pdf(tmp_path / "tides.pdf", [TIDES]))
    assert not app.file_uploader[0].value
    app.run()
    assert len(rag.jobs.views()) == 1


def test_the_same_file_twice_says_so(app: AppTest, rag: SelfRag, tmp_path: Path) -> None:
    first = make_pdf(tmp_path / "tides.pdf", [TIDES])
    second = tmp_path / "copy.pdf"
    second.write_bytes(first.read_bytes())
    app.run()
    upload(app, rag, first)
    upload(app, rag, second)
    assert "Already in your library" in texts(app)
    assert "the same file is in the library as tides.pdf" in texts(app)
    assert len(rag.documents()) == 1


def test_a_locked_file_takes_its_password_on_the_spot(
    app: AppTest, rag: SelfRag, tmp_path: Path
) -> None:
    app.run()
    upload(app, rag, make_pdf(tmp_path / "vault.pdf", [TIDES], password="sesame"))
    assert "vault.pdf is locked with a password" in texts(app)
    for attempt, said in (("wrong", "does not open vault.pdf"), ("sesame", "1 document is ready")):
        field = next(box for box in app.text_input if box.label == "Its password")
        field.set_value(attempt)
        next(button for button in app.button if button.label == "Try again").click().run()
        assert rag.jobs.wait(timeout=60)
        app.run()
        assert said in texts(app)
    assert "locked with a password" not in texts(app)
    stored = b"".join(path.read_bytes() for path in rag.incoming.parent.rglob("*.db*"))
    assert b"sesame" not in stored


def test_a_scan_offers_recognition_or_says_how_to_get_it(
    app: AppTest, rag: SelfRag, tmp_path: Path
) -> None:
    app.run()
    upload(app, rag, make_pdf(tmp_path / "scan.pdf", [Scan("Painted words")]))
    offered = any(button.label == "Recognise the text (OCR)" for button in app.button)
    assert offered == ocr.available()
    assert "No text found" in texts(app)
    assert offered or "Install tesseract" in texts(app)


def test_results_stay_until_they_are_dismissed(app: AppTest, rag: SelfRag, tmp_path: Path) -> None:
    app.run()
    upload(app, rag, make_pdf(tmp_path / "tides.pdf", [TIDES]))
    again = AppTest.from_file(PAGE, default_timeout=60).run()
    assert "1 document is ready" in texts(again)
    again.button(key="dismiss").click().run()
    assert "1 document is ready\n" not in texts(again)
    assert rag.jobs.views() == []


def test_result_of_a_document_goes_with_the_document(
    app: AppTest, rag: SelfRag, tmp_path: Path
) -> None:
    app.run()
    upload(app, rag, make_pdf(tmp_path / "a.pdf", [TIDES]), make_pdf(tmp_path / "b.pdf", ["Quay."]))
    assert "2 documents are ready" in texts(app)
    rag.delete(next(record.id for record in rag.ready() if record.name == "a.pdf"))
    app.run()
    assert "**1 document is ready**" in texts(app)
    assert "a.pdf" not in texts(app)


def test_results_are_those_of_the_last_upload_and_what_still_needs_a_password(
    app: AppTest, rag: SelfRag, tmp_path: Path
) -> None:
    app.run()
    vault = make_pdf(tmp_path / "vault.pdf", ["Gold."], password="sesame")
    upload(app, rag, make_pdf(tmp_path / "a.pdf", [TIDES]), vault)
    upload(app, rag, make_pdf(tmp_path / "b.pdf", ["Dogs are welcome on the quay."]))
    assert "**1 document is ready, 1 file could not be taken in**" in texts(app)
    assert any(box.label == "Its password" for box in app.text_input)


def test_address_marks_a_quote_and_leads_back_to_the_chat(
    app: AppTest, rag: SelfRag, tmp_path: Path
) -> None:
    document_id = add(rag, make_pdf(tmp_path / "tides.pdf", [TIDES, "Neap tides are lower."]))
    app.query_params["quote"] = "a tidal range  of THIRTEEN metres" + " " * 5_000
    app.query_params[CHAT] = "0" * 32
    open_at(app, document_id)
    assert "The words quoted in the chat are marked" in texts(app)
    drawn = json.loads(app.get("bidi_component")[0].proto.json)
    marked = [part["text"] for part in drawn["segments"] if part["hit"] == drawn["chosen"]]
    assert "".join(marked) == "a tidal range of thirteen metres"
    (back,) = app.get("page_link")
    assert back.proto.label == "Back to the chat"
    assert back.proto.query_string == f"{CHAT}={'0' * 32}"


@pytest.mark.parametrize("hostile", ["<img src=x onerror=alert(1)>", "x" * 100_000, "]]]("])
def test_address_with_words_that_are_not_there_marks_nothing(
    app: AppTest, rag: SelfRag, tmp_path: Path, hostile: str
) -> None:
    app.query_params["quote"] = app.query_params[CHAT] = hostile
    open_at(app, add(rag, make_pdf(tmp_path / "tides.pdf", [TIDES])))
    drawn = json.loads(app.get("bidi_component")[0].proto.json)
    assert drawn["hits"] == []
    assert not app.get("page_link")
    assert hostile not in texts(app)


def test_long_quote_in_an_address_is_cut_between_words() -> None:
    asked = to_quote("a", 2, "tides " * 200, None)
    assert len(asked["quote"]) <= 400
    assert asked["quote"].split() == ["tides"] * 66
    assert set(to_quote("a", 2, "", None)) == {"document", "page"}


def test_names_are_shown_as_they_are(app: AppTest, rag: SelfRag, tmp_path: Path) -> None:
    name = "# <b>*x*</b> $a$ [l](http:) :red[r] :material/home: a -- b `c` 日本.pdf".replace(
        "/", ""
    )
    path = make_pdf(tmp_path / "plain.pdf", [TIDES])
    rag.submit(path, name)
    assert rag.jobs.wait(timeout=60)
    open_at(app, rag.documents()[0].id)
    heading = app.subheader[0].value
    assert heading == literal(name)
    assert heading.replace("\\", "").replace(":gray[]", "") == name
    assert ":red[" not in heading and ":material" not in heading and "](" not in heading


def test_a_document_opens_at_the_page_that_its_address_names(
    app: AppTest, rag: SelfRag, tmp_path: Path
) -> None:
    document_id = add(rag, make_pdf(tmp_path / "tides.pdf", [TIDES, Empty(), "Neap tides."]))
    open_at(app, document_id, page=3)
    assert "Page 3 of 3" in texts(app)
    assert "1 of 3 pages is left out of search" in [box.label for box in app.expander]
    open_at(app, document_id, page=99)
    assert "Page 3 of 3" in texts(app)


def test_a_search_in_a_document_leads_to_the_page(
    app: AppTest, rag: SelfRag, tmp_path: Path
) -> None:
    document_id = add(rag, make_pdf(tmp_path / "tides.pdf", [TIDES, "Neap tides are lower."]))
    open_at(app, document_id)
    app.text_input(key=f"search_{document_id}").set_value("NEAP  tides").run()
    assert "1 place on 1 page" in texts(app)
    app.button(key=f"hit_{document_id}_0").click().run()
    assert "Page 2 of 2" in texts(app)
    app.text_input(key=f"search_{document_id}").set_value("glacier").run()
    assert "does not stand in the text" in texts(app)


def test_a_renamed_document_is_cited_under_its_new_name(
    app: AppTest, rag: SelfRag, tmp_path: Path
) -> None:
    document_id = add(rag, make_pdf(tmp_path / "tides.pdf", [TIDES]))
    open_at(app, document_id)
    app.text_input[0].set_value("Saint Malo.pdf")
    next(button for button in app.button if button.label == "Rename").click().run()
    assert app.subheader[0].value.replace("\\", "") == "Saint Malo.pdf"
    assert rag.retrieve("tidal range").hits[0].document == "Saint Malo.pdf"


def test_a_document_is_deleted_only_after_the_question(
    app: AppTest, rag: SelfRag, tmp_path: Path
) -> None:
    document_id = add(rag, make_pdf(tmp_path / "tides.pdf", [TIDES]))
    open_at(app, document_id)
    app.button(key="delete").click().run()
    assert rag.documents()
    app.button(key="delete-for-good").click().run()
    assert rag.documents() == []
    assert "Your library is empty" in texts(app)


def test_cancelling_a_second_reading_keeps_the_document(
    app: AppTest, rag: SelfRag, tmp_path: Path
) -> None:
    document_id = add(rag, make_pdf(tmp_path / "tides.pdf", [TIDES]))
    cancelled = threading.Event()
    cancelled.set()
    assert rag.library.resume(document_id, cancel=cancelled).status == "cancelled"
    open_at(app, document_id)
    assert rag.document(document_id).state is State.READY
    next(button for button in app.button if button.label == "Read again").click().run()
    assert rag.jobs.wait(timeout=60)
    assert rag.document(document_id).state is State.READY


def test_a_document_is_read_again_in_sizes_of_its_own(
    app: AppTest, rag: SelfRag, tmp_path: Path
) -> None:
    document_id = add(rag, make_pdf(tmp_path / "tides.pdf", [TIDES * 12]))
    open_at(app, document_id)
    assert "chunk size" not in texts(app)
    assert "reads 256 tokens of a chunk" in texts(app)
    app.number_input(key=f"again_size_{document_id}").set_value(200)
    app.number_input(key=f"again_overlap_{document_id}").set_value(300)
    next(button for button in app.button if button.label == "Read again").click().run()
    assert "choose from 0 to 199" in texts(app)
    app.number_input(key=f"again_size_{document_id}").set_value(200)
    app.number_input(key=f"again_overlap_{document_id}").set_value(20)
    next(button for button in app.button if button.label == "Read again").click().run()
    assert rag.jobs.wait(timeout=60)
    app.run()
    assert "its own chunk size: 200 characters" in texts(app)
    assert max(len(child.text) for child in rag.chunks(document_id)[1]) <= 200


def test_a_documents_page_says_what_there_is_to_know_of_it(
    app: AppTest, rag: SelfRag, tmp_path: Path
) -> None:
    path = make_pdf(tmp_path / "tides.pdf", [f"{TIDES} Page {n}." for n in range(20)])
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    open_at(app, add(rag, path))
    assert "The file breaks off" in texts(app)


def test_an_address_of_a_document_that_is_gone_says_so(app: AppTest) -> None:
    open_at(app, "0123456789abcdef")
    assert "not in your library" in texts(app)


def test_a_thousand_documents_are_listed_and_searched(app: AppTest, rag: SelfRag) -> None:
    add_records(rag, 1000)
    app.run()
    assert not app.exception
    assert len(app.dataframe[0].value) == 1000
    app.text_input(key="documents_search").set_value("0042 portuguese").run()
    assert list(app.dataframe[0].value["name"]) == ["report 0042.pdf"]
    app.text_input(key="documents_search").set_value("nothing like it").run()
    assert "No document fits" in texts(app)


def test_literal_text_keeps_every_character_but_no_effect() -> None:
    for hostile in (":smile:", "https://evil.example", "www.evil.example", "a@b.example", "a -> b"):
        shown = literal(hostile)
        assert shown.replace("\\", "").replace(":gray[]", "") == hostile
        assert ":gray[]" in shown, "what Streamlit replaces after parsing must be broken up"
        assert shown.isascii(), "nothing invisible is copied along"
    assert ":gray[]" not in literal("annual-report_2026.pdf")
    assert literal("line\nbreak\ttab") == "line break tab"
    assert len(literal("x" * 300, most=40)) == 40


def test_totals_count_what_is_ready() -> None:
    ready = DocumentRecord("a", "a", "a.pdf", 1_500_000, State.READY, language="en", children=7)
    failed = DocumentRecord("b", "b", "b.pdf", 999, State.FAILED)
    assert totals([ready, failed]).startswith("1 document ready · 0 pages · 7 chunks · 1 language")
    assert totals([failed]) == "0 documents ready"


def test_pages_of_each_kind_are_told_in_words_and_colours() -> None:
    pages = {"text": 999, "failed": 1, "empty": 2}
    assert in_words(pages) == "999 with text, 1 failed and 2 empty"
    assert in_words({"text": 3}) == "all with text"
    assert left_out(pages) == 3
    drawn = bar(pages, dark=False)
    assert drawn is not None and "C92A2A" in drawn
    assert bar({}, dark=False) is None


def test_segments_cover_the_page_and_know_their_chunks() -> None:
    page = Page(1, PageKind.TEXT, "head abcdefghij", body=((5, 15),))
    parent = Chunk("p", "abcdefghij", 0, 10, (Span(1, 5, 15),), 0)
    first = Chunk("a", "abcdef", 0, 6, (Span(1, 5, 11),), 0, "p")
    second = Chunk("b", "efghij", 4, 10, (Span(1, 9, 15),), 1, "p")
    found = segments(page, [parent], [first, second], hits=[(12, 14)])
    assert "".join(part.text for part in found) == page.text
    assert [(part.text, part.children, part.hit) for part in found] == [
        ("head ", (), None),
        ("abcd", (0,), None),
        ("ef", (0, 1), None),
        ("g", (1,), None),
        ("hi", (1,), 0),
        ("j", (1,), None),
    ]
    assert [part.body for part in found] == [False, True, True, True, True, True]


def test_words_are_found_across_line_ends_and_never_as_patterns() -> None:
    pages = [Page(1, PageKind.TEXT, "A tidal\nrange. (a+b)"), Page(2, PageKind.TEXT, "x " * 500)]
    assert [(place.start, place.end) for place in find(pages, "TIDAL range")] == [(2, 13)]
    assert find(pages, "(a+b)")[0].found == "(a+b)"
    assert find(pages, "  ") == []
    assert len(find(pages, "x")) == MOST


def test_numbers_are_written_for_people() -> None:
    assert [size(n) for n in (1, 999, 1_000, 12_400, 999_600, 3_400_000)] == [
        "1 byte", "999 bytes", "1.0 KB", "12 KB", "1.0 MB", "3.4 MB"
    ]  # fmt: skip
    assert [duration(n) for n in (0.42, 12, 59.6, 4_800)] == [
        "0.4 s",
        "12 s",
        "1 min",
        "1 h 20 min",
    ]
    assert runs([1, 2, 3, 7, 9, 10]) == [(1, 3), (7, 7), (9, 10)]
