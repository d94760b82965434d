"""Every real PDF gives the outcome that its manifest expects."""

import csv
import re
import time
import unicodedata
from collections import Counter
from pathlib import Path

import pytest

from selfrag.documents.chunking import chunk
from selfrag.documents.errors import PasswordNeeded, UnreadablePdf
from selfrag.documents.reading import why_nothing
from selfrag.documents.render import boxes
from selfrag.documents.sandbox import Limits, Sandbox
from selfrag.pages import PageKind, Reading

pytestmark = pytest.mark.realdata

#: Sentences over line ends, in columns, tables and other scripts, as a person reads them.
COLUMNS = {
    "plain/tracemonkey.pdf": [
        "identifies frequently executed loop traces at run-time and then generates machine code",
        "expect hot loops to be mostly type-stable, meaning that the types of values are invariant",
    ],
    "plain/multi-column.pdf": [
        "Open-domain question answering relies on efficient passage retrieval to select candidate",
        "Retrieval in open-domain QA is usually implemented using TF-IDF or BM25",
        "Barlas Oğuz",
    ],
    "plain/federal-register-2020-17221.pdf": [
        "The FAA proposes to supersede Airworthiness Directive",
        "you may examine the AD docket on the internet",
    ],
    "plain/multicolumn.pdf": [
        "Mauris ut leo. Cras viverra metus rhoncus sem. Nulla et lectus vestibulum",
        "Austria 8.9 83,879 Vienna German",
    ],
    "plain/fr_olap.pdf": ["Une façon d’assister l’analyse d’entrepôt de données repose sur"],
    "plain/GeoTopo-komprimiert.pdf": ["Eine Teilmenge von Rn oder Cn ist genau dann kompakt"],
    "hard/fake-bold-sample.pdf": ["BOLD TEXT SAMPLE Testing Deduplication"],
    "hard/issue11656.pdf": ["לחיוב פעולות אלה לפי סעיף 15 (ב)(4) לחוק מבקר המדינה"],
    "hard/habibi-rotated.pdf": ["حَبيبي"],
    "hard/multilang.pdf": ["Привет, мир", "مرحبا بالعالم", "你好世界", "こんにちは世界"],
    "hard/senate-expenditures.pdf": ["CAMPBELL, CLAYTON D DISTRICT DIRECTOR FROM MAY 23 31,111.08"],
    "hard/nics-background-checks-2015-11-rotated.pdf": ["Alabama 18,870 23,022 22,650 859 1,178"],
    "hard/jo.pdf": [
        "わたくしといふ現象は 假定された有機交流電燈の ひとつの青い照明です",
        "すべてこれらの命題は 心象や時間それ自身の性質として 第四次延長のなかで主張されます",
    ],
    "hard/issue-336-example.pdf": ["高速公路 六 2.1333 45000≤Q＜60000 20＜μ≤30"],
    "plain/pt_git_github.pdf": ["Talvez nesse exato momento você não faça ideia do que seja"],
}


def folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@pytest.fixture(scope="module")
def readings(shared_data: Path) -> dict[str, tuple[dict[str, str], Reading | Exception, float]]:
    """Every file's row of the manifest, its reading or error, and the seconds it took."""
    folder = shared_data / "pdfs"
    found: dict[str, tuple[dict[str, str], Reading | Exception, float]] = {}
    with Sandbox() as sandbox, (folder / "manifest.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            began = time.monotonic()
            outcome: Reading | Exception
            try:
                outcome = sandbox.read(folder / row["file"], limits=Limits(seconds=120))
            except (UnreadablePdf, PasswordNeeded) as error:
                outcome = error
            found[row["file"]] = row, outcome, time.monotonic() - began
    return found


def test_every_file_ends_as_its_manifest_expects(
    readings: dict[str, tuple[dict[str, str], Reading | Exception, float]],
) -> None:
    wrong = []
    for name, (row, outcome, seconds) in readings.items():
        if isinstance(outcome, Reading):
            kinds = Counter(page.kind.value for page in outcome.pages)
            rate = len(outcome.pages) / max(seconds, 1e-6)
            told = f"{len(outcome.pages):4} pages {rate:6.0f}/s {outcome.language} {dict(kinds)}"
        else:
            told = f"{type(outcome).__name__}: {outcome}"
        print(f"{name:50} {told}")  # noqa: T201 - shown with -s
        problem = _problem(row, outcome)
        if problem:
            wrong.append(f"{name}: {problem}")
    assert not wrong, "\n".join(wrong)


def _problem(row: dict[str, str], outcome: Reading | Exception) -> str | None:
    expected, pages, seen = row["expected"], row["pages"], row["text_seen"]
    if expected.startswith("fails without password"):
        return None if isinstance(outcome, PasswordNeeded) else "no password asked for"
    may_fail = expected == "cannot open" or (row["file"].startswith("broken/") and not seen)
    if may_fail and isinstance(outcome, UnreadablePdf):
        return None if str(outcome)[-1] == "." else "a sentence that does not end"
    if not isinstance(outcome, Reading):
        return f"not read: {outcome}"
    if pages not in ("", "0") and len(outcome.pages) != int(pages):
        return f"{len(outcome.pages)} pages, not {pages}"
    text = folded(" ".join(page.text for page in outcome.pages))
    if expected.startswith("no text"):
        nothing = not text and why_nothing(outcome).startswith("No text found")
        return None if nothing else "text where there is none"
    if expected == "text is gibberish":
        return None if not text and outcome.pages[0].reason else "gibberish taken for text"
    if expected and expected != "text is noise" and folded(expected) not in text:
        return f"{expected!r} is missing"
    if not text and not all(
        page.reason or page.kind is not PageKind.TEXT for page in outcome.pages
    ):
        return "silently empty"
    return None


def test_text_is_in_reading_order(
    readings: dict[str, tuple[dict[str, str], Reading | Exception, float]],
) -> None:
    missing = []
    for name, quotes in COLUMNS.items():
        outcome = readings[name][1]
        assert isinstance(outcome, Reading)
        text = folded(" ".join(page.text for page in outcome.pages))
        missing += [f"{name}: {quote}" for quote in quotes if folded(quote) not in text]
    assert not missing, "\n".join(missing)


def test_words_of_the_second_reader_are_not_lost(shared_data: Path) -> None:
    """Nine words in ten that pypdf finds on a page of prose are found here, in whatever order."""
    import pypdf

    from selfrag.documents.reading import read_pdf

    for name in ("plain/multi-column.pdf", "plain/fr_olap.pdf", "plain/pdkids.pdf"):
        path = shared_data / "pdfs" / name
        ours = read_pdf(path).pages
        for index, page in list(enumerate(pypdf.PdfReader(path).pages))[:8]:
            words = re.findall(r"[^\W\d_]{4,}", folded(page.extract_text()))
            mine = set(re.findall(r"[^\W\d_]{4,}", folded(ours[index].text)))
            found = sum(word in mine for word in words)
            assert found >= 0.9 * len(words), f"{name} page {index + 1}: {found} of {len(words)}"


@pytest.mark.parametrize(
    ("name", "password", "words"),
    [
        ("hard/libreoffice-writer-password.pdf", "openpassword", "Lorem ipsum"),
        ("hard/password.pdf", "password", ""),
        ("hard/aes-256-r6.pdf", "usersecret", ""),
        ("hard/aes-256-r6.pdf", "ownersecret", ""),
    ],
)
def test_locked_files_open_with_their_password(
    shared_data: Path, name: str, password: str, words: str
) -> None:
    with Sandbox() as sandbox:
        reading = sandbox.read(shared_data / "pdfs" / name, password=password)
    assert words in reading.pages[0].text
    assert reading.count(PageKind.TEXT) >= 1


def test_running_lines_are_out_of_chunks_and_spans_hold(
    readings: dict[str, tuple[dict[str, str], Reading | Exception, float]],
) -> None:
    def squashed(text: str) -> str:
        return "".join(text.split())

    for name, (_, outcome, _) in readings.items():
        if not isinstance(outcome, Reading):
            continue
        parents, children = chunk(name, outcome)
        for one in (*parents, *children):
            texts = [outcome.pages[s.page - 1].text[s.start : s.end] for s in one.spans]
            assert squashed("".join(texts)) == squashed(one.text), name
    court = readings["plain/598us1r4_1a7d.pdf"][1]
    assert isinstance(court, Reading)
    text = " ".join(child.text for child in chunk("x", court)[1])
    assert "Page Proof Pending Publication" not in text
    assert not re.search(r"Cite as: 598 U\. S\. 39", text)
    course = readings["plain/pt_git_github.pdf"][1]
    assert isinstance(course, Reading)
    assert "Página 3 de 12" not in " ".join(child.text for child in chunk("x", course)[1])


def test_boxes_of_real_pages_lie_on_the_page(shared_data: Path) -> None:
    from selfrag.documents.reading import read_pdf

    for name in ("plain/tracemonkey.pdf", "hard/senate-expenditures.pdf", "hard/issue11656.pdf"):
        path = shared_data / "pdfs" / name
        text = read_pdf(path).pages[0].text
        found = boxes(path, 1, 0, len(text))
        assert len(found) > 2
        assert all(0 <= b.x0 < b.x1 <= 1 and 0 <= b.y0 < b.y1 <= 1 for b in found)
