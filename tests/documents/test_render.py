"""Page images, and where a range of text stands on them."""

import io
from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image

from selfrag.documents.reading import read_pdf
from selfrag.documents.render import Box, boxes, page_image
from tests.support.pdf_factory import Columns, Draw, Scan, make_pdf, raw_pdf


def ink(png: bytes, box: Box) -> float:
    """Share of dark pixels inside a box."""
    image = Image.open(io.BytesIO(png)).convert("L")
    w, h = image.size
    part = image.crop((int(box.x0 * w), int(box.y0 * h), int(box.x1 * w) + 1, int(box.y1 * h) + 1))
    return sum(part.histogram()[:100]) / (part.width * part.height)


def test_boxes_lie_on_the_words_they_name(tmp_path: Path) -> None:
    left = "Left words fill this narrow column here with text of no meaning at all. " * 4
    right = "Right words fill the other column instead and mean as little as these. " * 4
    path = make_pdf(tmp_path / "a.pdf", [Columns((left, right))])
    text = read_pdf(path).pages[0].text
    start = text.index("Right words")
    (box,) = boxes(path, 1, start, start + len("Right words"))
    assert 0.5 < box.x0 < box.x1 < 0.75
    assert ink(page_image(path, 1), box) > 0.05
    beside = Box(0.1, 0.8, 0.9, 0.9)
    assert ink(page_image(path, 1), beside) == 0


def test_a_range_over_lines_has_one_box_a_line(tmp_path: Path) -> None:
    path = make_pdf(tmp_path / "a.pdf", ["Words that go on and on over the line. " * 6])
    text = read_pdf(path).pages[0].text
    found = boxes(path, 1, 0, len(text))
    assert len(found) == 3
    assert [b.y0 for b in found] == sorted(b.y0 for b in found)
    assert all(a.y1 <= b.y0 + 0.005 for a, b in pairwise(found))


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_boxes_follow_the_rotation_of_a_page(tmp_path: Path, turn: int) -> None:
    stream = b"BT /F 20 Tf 100 700 Td (Corner) Tj ET"
    path = raw_pdf(tmp_path / "a.pdf", [stream])
    path.write_bytes(
        path.read_bytes().replace(b"/Parent 2 0 R", b"/Parent 2 0 R /Rotate %d" % turn)
    )
    (box,) = boxes(path, 1, 0, 6)
    assert ink(page_image(path, 1), box) > 0.1


def test_highlight_is_drawn_and_words_stay_readable(tmp_path: Path) -> None:
    path = make_pdf(tmp_path / "a.pdf", ["Look here."])
    found = boxes(path, 1, 0, 4)
    plain, marked = page_image(path, 1), page_image(path, 1, highlight=found)
    assert plain != marked
    assert ink(marked, found[0]) > 0.05


def test_a_huge_page_is_bounded(tmp_path: Path) -> None:
    path = raw_pdf(tmp_path / "a.pdf", [b""], media_box="0 0 14400 14400")
    image = Image.open(io.BytesIO(page_image(path, 1, scale=4)))
    assert max(image.size) <= 2_000


def test_a_scan_has_no_boxes(tmp_path: Path) -> None:
    assert boxes(make_pdf(tmp_path / "a.pdf", [Scan()]), 1, 0, 10) == []


def test_no_such_page(tmp_path: Path) -> None:
    with pytest.raises(IndexError):
        page_image(make_pdf(tmp_path / "a.pdf", ["x"]), 2)


def test_quote_over_a_broken_word_is_found_and_placed(tmp_path: Path) -> None:
    def draw(pdf: object) -> None:
        pdf.text(20, 40, "This is an extra-")  # type: ignore[attr-defined]
        pdf.text(20, 45, "ordinary sentence.")  # type: ignore[attr-defined]

    path = make_pdf(tmp_path / "a.pdf", [Draw(draw)])
    text = read_pdf(path).pages[0].text
    start = text.index("extraordinary")
    found = (start, start + len("extraordinary"))
    assert found is not None
    assert len(boxes(path, 1, *found)) == 2
