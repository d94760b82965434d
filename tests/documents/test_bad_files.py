"""Files that nobody should have made: each ends as a sentence that says what to do, and soon."""

import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from selfrag.documents.bombs import expands_beyond
from selfrag.documents.errors import PasswordNeeded, ReadingStopped, TooManyPages
from selfrag.documents.reading import read_pdf, why_nothing
from selfrag.documents.sandbox import Limits, Sandbox
from selfrag.errors import UserError
from selfrag.pages import PageKind
from selfrag.service import SelfRag
from tests.support.pdf_factory import Scan, make_pdf, raw_pdf, write_objects

WORDS = b"BT /F 12 Tf 72 700 Td (The harbour has a tidal range of thirteen metres.) Tj ET"
TIDES = "Page {n} tells of the harbour of Saint Malo. " * 20
LIMITS = Limits(seconds=120, memory_mb=400)

CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
PAGE = (
    b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R "
    b"/Resources << /Font << /F 3 0 R >> /XObject << /I 6 0 R >> >> >>"
)


def stream(data: bytes, about: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), about, data)


def one_page(path: Path, content: bytes, *more: bytes) -> Path:
    tree = b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>"
    return write_objects(path, [CATALOG, tree, FONT, PAGE, content, *more])


def many_pages(path: Path, count: int) -> Path:
    """A page that is in the tree as often as wanted."""
    tree = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b"4 0 R " * count, count)
    return write_objects(path, [CATALOG, tree, FONT, PAGE, stream(WORDS)])


def no_pages(path: Path) -> Path:
    return write_objects(path, [CATALOG, b"<< /Type /Pages /Kids [] /Count 0 >>"])


def tree_without_leaves(path: Path) -> Path:
    branch = b"<< /Type /Pages /Parent 2 0 R /Kids [2 0 R] /Count 5 >>"
    return write_objects(path, [CATALOG, b"<< /Type /Pages /Kids [3 0 R] /Count 5 >>", branch])


def tree_that_holds_itself(path: Path) -> Path:
    tree = b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1000000 >>"
    return write_objects(path, [CATALOG, tree])


def written(data: bytes) -> Callable[[Path], Path]:
    def write(path: Path) -> Path:
        path.write_bytes(data)
        return path

    return write


def cut(share: float) -> Callable[[Path], Path]:
    def write(path: Path) -> Path:
        whole = make_pdf(path, [TIDES.format(n=n) for n in range(1, 31)]).read_bytes()
        path.write_bytes(whole[: int(len(whole) * share)])
        return path

    return write


def locked_and_cut(path: Path) -> Path:
    whole = make_pdf(path, [TIDES] * 9, password="sesame").read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    return path


def scans_cut(path: Path) -> Path:
    whole = make_pdf(path, [Scan("One"), Scan("Two"), Scan("Three")]).read_bytes()
    path.write_bytes(whole[: int(len(whole) * 0.9)])
    return path


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as one:
        yield one


def outcome(sandbox: Sandbox, path: Path, **limits: float) -> str:
    """The sentence that a file which yields nothing ends with."""
    try:
        reading = sandbox.read(path, limits=Limits(120, 400, **limits))  # type: ignore[arg-type]
    except UserError as error:
        return str(error)
    assert not any(page.text.strip() for page in reading.pages)
    return why_nothing(reading)


@pytest.mark.parametrize(
    ("make", "said", "cure"),
    [
        (written(b""), "is an empty file (0 bytes)", "export it again"),
        (written(b"%PDF-1.7"), "damaged or cut short", "get the file again"),
        (written(b"%PDF-1.7\n" + bytes(5_000)), "damaged or cut short", "get the file again"),
        (written(b"<html><body>Sign in</body></html>"), "a web page (HTML)", "save or export"),
        (written(b"\n\n<!DOCTYPE HTML><p>404"), "a web page (HTML)", "save or export"),
        (written("Liebe Grüße".encode("latin-1")), "seems to be", "save or export"),
        (written(b"PK\x03\x04 word/document.xml"), "an Office document", "save or export"),
        (no_pages, "has no pages", "make it anew"),
        (tree_without_leaves, "all 5 pages could not be read", "save it anew"),
        (tree_that_holds_itself, "1,000,000 pages, which are more than", "Get the file again"),
        (cut(0.02), "damaged or cut short", "get the file again"),
        (locked_and_cut, "", "again"),
    ],
)
def test_file_that_holds_nothing_ends_as_a_sentence_with_the_cure(
    sandbox: Sandbox, tmp_path: Path, make: Callable[[Path], Path], said: str, cure: str
) -> None:
    told = outcome(sandbox, make(tmp_path / "bad.pdf"))
    assert said in told
    assert cure in told
    assert told.endswith(".")
    assert "\n" not in told and len(told) < 250


def test_what_was_wrong_with_one_file_is_not_told_of_the_next(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    with pytest.raises(PasswordNeeded):
        sandbox.read(make_pdf(tmp_path / "locked.pdf", ["x"], password="sesame"))
    assert "has no pages" in outcome(sandbox, no_pages(tmp_path / "none.pdf"))


@pytest.mark.parametrize("share", [0.3, 0.5, 0.9])
def test_file_that_breaks_off_is_read_as_far_as_it_goes(
    sandbox: Sandbox, tmp_path: Path, share: float
) -> None:
    reading = sandbox.read(cut(share)(tmp_path / "cut.pdf"))
    assert len(reading.pages) >= int(30 * share) - 1
    for page in reading.pages:
        assert page.text.startswith(f"Page {page.number} tells of the harbour")
    (note,) = (note for note in reading.notes if "breaks off" in note)
    pages = f"{len(reading.pages)} pages"
    assert f"{pages} of 30 could be found. Get it again" in note or f"its {pages} could" in note


def test_file_that_lacks_no_more_than_its_last_bytes_is_whole(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    reading = sandbox.read(cut(0.999)(tmp_path / "cut.pdf"))
    assert (len(reading.pages), reading.count(PageKind.TEXT)) == (30, 30)


def test_page_of_a_file_that_breaks_off_is_drawn_and_its_words_are_found_on_it(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    path = cut(0.5)(tmp_path / "cut.pdf")
    text = sandbox.read(path).pages[1].text
    assert sandbox.page_image(path, 2).startswith(b"\x89PNG")
    assert sandbox.boxes(path, 2, 0, 6, text=text)


def test_pages_in_compressed_objects_are_found_too(tmp_path: Path) -> None:
    """Most programs put page objects into object streams (PDF 1.5)."""
    packed = [
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 9 0 R >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 8 0 R >>",
        b"<< /Type /Pages /Kids [6 0 R 5 0 R 7 0 R] /Count 3 >>",
    ]
    offsets = [sum(len(body) + 1 for body in packed[:n]) for n in range(3)]
    table = b"5 %d 6 %d 2 %d " % tuple(offsets)
    inside = zlib.compress(table + b"\n".join(packed))
    about = b"/Type /ObjStm /N 3 /First %d /Filter /FlateDecode" % len(table)
    path = tmp_path / "cut.pdf"
    path.write_bytes(
        b"%PDF-1.5\n"
        + b"8 0 obj\n%s\nendobj\n" % stream(b"BT /F 12 Tf 72 700 Td (First page) Tj ET")
        + b"9 0 obj\n%s\nendobj\n" % stream(b"BT /F 12 Tf 72 700 Td (Second page) Tj ET")
        + b"4 0 obj\n%s\nendobj\n" % stream(inside, about)
        + b"7 0 obj\n<< /Type /Page /Par"
    )
    reading = read_pdf(path)
    assert [page.text for page in reading.pages] == ["First page", "Second page"]
    assert "2 pages of 3 could be found" in reading.notes[0]


def test_scans_of_a_file_that_breaks_off_are_told_apart_from_nothing(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    told = outcome(sandbox, scans_cut(tmp_path / "scans.pdf"))
    assert "breaks off" in told or "OCR" in told


def test_ten_thousand_pages_are_read_and_one_more_is_refused(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    reading = sandbox.read(many_pages(tmp_path / "many.pdf", 10_000), limits=Limits(590))
    assert reading.count(PageKind.TEXT) == 10_000
    with pytest.raises(TooManyPages, match=r"10,001 pages, the limit is 10,000: split the file"):
        sandbox.read(many_pages(tmp_path / "more.pdf", 10_001))


@pytest.mark.parametrize("box", ["0 0 14400 14400", "0 0 1000000000 1000000000", "0 0 0 0", "9 9"])
def test_page_of_any_size_is_read_and_drawn(sandbox: Sandbox, tmp_path: Path, box: str) -> None:
    path = raw_pdf(tmp_path / "poster.pdf", [WORDS], media_box=box)
    limits = Limits(seconds=120, memory_mb=600)  # pdfium takes 240 MB for the largest
    assert "tidal range of thirteen" in sandbox.read(path, limits=limits).pages[0].text
    assert sandbox.page_image(path, 1).startswith(b"\x89PNG")


@pytest.mark.parametrize("rounds", [1, 2])
def test_text_that_expands_beyond_memory_is_told_as_what_it_is(
    sandbox: Sandbox, tmp_path: Path, rounds: int
) -> None:
    data = b"BT /F 9 Tf (A) Tj ET " * 30_000_000  # 630 MB
    for _ in range(rounds):
        data = zlib.compress(data, 1)
    filters = b"/Filter [%s]" % (b"/FlateDecode " * rounds)
    path = one_page(tmp_path / "bomb.pdf", stream(data, filters))
    with pytest.raises(ReadingStopped) as raised:
        sandbox.read(path, limits=LIMITS)
    assert "bomb.pdf is a decompression bomb: a part of it expands to more than 100 MB" in str(
        raised.value
    )
    assert str(raised.value).endswith("add that.")
    assert sandbox.read(make_pdf(tmp_path / "a.pdf", ["Words."])).pages[0].text == "Words."


def test_image_that_expands_beyond_memory_costs_nothing_or_is_told(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    data = zlib.compress(bytes(40_000_000), 1)
    about = (
        b"/Type /XObject /Subtype /Image /Width 60000 /Height 60000 /ColorSpace /DeviceGray "
        b"/BitsPerComponent 8 /Filter /FlateDecode"
    )
    content = stream(b"q 595 0 0 842 0 0 cm /I Do Q " + WORDS)
    path = one_page(tmp_path / "image.pdf", content, stream(data, about))
    reading = sandbox.read(path, limits=LIMITS)
    assert "tidal range" in reading.pages[0].text
    try:
        assert sandbox.page_image(path, 1).startswith(b"\x89PNG")
    except UserError as error:
        assert str(error).endswith(".")
    assert sandbox.read(make_pdf(tmp_path / "a.pdf", ["Words."])).pages[0].text == "Words."


def test_what_expands_is_counted_not_kept(tmp_path: Path) -> None:
    megabytes = zlib.compress(bytes(3 << 20))
    path = one_page(tmp_path / "a.pdf", stream(megabytes, b"/Filter /FlateDecode"))
    assert expands_beyond(path, 2 << 20)
    assert not expands_beyond(path, 4 << 20)
    twice = stream(zlib.compress(megabytes), b"/Filter [/FlateDecode /FlateDecode]")
    assert expands_beyond(one_page(tmp_path / "b.pdf", twice), 2 << 20)
    image = stream(b"", b"/Subtype /Image /Width 90000 /Height 90000")
    assert expands_beyond(one_page(tmp_path / "c.pdf", stream(WORDS), image), 1 << 30)
    damaged = stream(b"x" + megabytes, b"/Filter /FlateDecode")
    assert not expands_beyond(one_page(tmp_path / "d.pdf", damaged), 2 << 20)


NAMES = {
    "../../etc/passwd": "passwd",
    "a/b\\c:d.pdf": "c:d.pdf",
    "two\nlines\r\n.pdf": "two lines .pdf",
    "nul\x00byte.pdf": "nul byte.pdf",
    "x" * 300 + ".pdf": "x" * 196 + ".pdf",
    "報告書 отчёт تقرير 😀.pdf": "報告書 отчёт تقرير 😀.pdf",
    "invoice\u202efdp.exe": "invoice fdp.exe",
    "   ": "document.pdf",
    ".pdf": ".pdf",
    "CON.pdf": "CON.pdf",
}


def test_files_of_any_name_are_taken_in_shown_found_and_deleted(
    rag: SelfRag, tmp_path: Path
) -> None:
    for number, name in enumerate(NAMES):
        path = make_pdf(rag.incoming / f"{number}.pdf", [f"Tide table number {number * 37}."])
        rag.submit(path, name)
    assert rag.jobs.wait(120)
    assert [view.result.status for view in rag.jobs.views() if view.result] == ["ready"] * len(
        NAMES
    )
    shown = [record.name for record in rag.ready()]
    assert shown == list(NAMES.values())
    assert {hit.document for hit in rag.retrieve("tide table", k=20).hits} == set(shown)
    inside = {path.resolve() for path in rag.settings.storage_dir.rglob("*")}
    assert not any(path.name in ("passwd", "c:d.pdf") for path in inside)
    for record in rag.documents():
        assert rag.page_image(record.id, 1).startswith(b"\x89PNG")
        rag.delete(record.id)
    assert rag.documents() == []


def test_half_a_file_gets_in_with_a_note_and_the_whole_one_replaces_it(
    rag: SelfRag, tmp_path: Path
) -> None:
    path = tmp_path / "report.pdf"
    half = next(iter(rag.ingest([cut(0.5)(path)])))
    assert half.status == "ready"
    assert any("breaks off" in note for note in half.notes)
    make_pdf(path, [TIDES.format(n=n) for n in range(1, 31)])
    whole = next(iter(rag.ingest([path])))
    assert (whole.status, whole.pages) == ("ready", 30)
    assert [record.id for record in rag.ready()] == [whole.document_id]


def test_nothing_readable_leaves_nothing_behind(rag: SelfRag, tmp_path: Path) -> None:
    for number, make in enumerate((no_pages, tree_that_holds_itself, cut(0.02))):
        result = rag.library.ingest(make(tmp_path / f"{number}.pdf"))
        assert (result.status, result.document_id) == ("failed", None)
    assert rag.documents() == []
    assert rag.library.files() == []
