"""Makes the PDFs of the sample library from the texts beside it.

    python -m tests.support.make_samples

The texts are our own. Their markup is small: "# " begins the title, whose next paragraph is the
introduction, "## " a section, "| a | b |" a row of a table. What is written lies in
``selfrag/samples`` and is part of the application.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

from fpdf import FPDF
from fpdf.enums import TableBordersLayout
from fpdf.fonts import FontFace

TEXTS = Path(__file__).parent / "samples"
SAMPLES = Path(__file__).resolve().parents[2] / "selfrag" / "samples"

_INK, _ACCENT, _QUIET = (28, 31, 38), (59, 91, 219), (95, 102, 112)
_WRITTEN = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)  # fixed, so that a second run changes nothing


class _Booklet(FPDF):
    """A5 pages with the title and the page number at their foot."""

    def __init__(self, title: str, language: str) -> None:
        super().__init__(format=(148, 210))
        self.set_margin(17)
        self.c_margin = 0
        self.set_auto_page_break(True, margin=20)
        self.set_title(title)
        self.set_lang(language)
        self.set_creation_date(_WRITTEN)
        self._foot = title

    def footer(self) -> None:
        """What stands at the foot of every page."""
        self.set_y(-14)
        self.set_font("Helvetica", size=8)
        self.set_text_color(*_QUIET)
        self.cell(0, 5, self._foot)
        self.set_x(17)
        self.cell(0, 5, str(self.page_no()), align="R")


def make_sample(text: str, path: Path, language: str) -> Path:
    """Write one text as PDF with an outline; returns its path."""
    blocks = list(_blocks(text))
    title = blocks[0].removeprefix("# ")
    pdf = _Booklet(title, language)
    pdf.add_page()
    _title(pdf, title, blocks[1])
    for block in blocks[2:]:
        if block.startswith("## "):
            _heading(pdf, block.removeprefix("## "))
        elif block.startswith("|"):
            _table(pdf, block)
        else:
            _paragraph(pdf, block)
    pdf.output(str(path))
    return path


def make_all(folder: Path) -> list[Path]:
    """Write every sample into a folder."""
    return [
        make_sample(
            text.read_text(encoding="utf-8"),
            folder / f"{text.stem}.pdf",
            "pt" if text.stem.startswith("guia") else "en",
        )
        for text in sorted(TEXTS.glob("*.md"))
    ]


def _blocks(text: str) -> Iterator[str]:
    """Headings, paragraphs and whole tables."""
    for paragraph in text.split("\n\n"):
        for heading, lines in groupby(
            paragraph.strip().splitlines(), lambda it: it.startswith("#")
        ):
            if heading:
                yield from lines
            else:
                yield "\n".join(lines)


def _title(pdf: FPDF, title: str, introduction: str) -> None:
    pdf.start_section(title)
    pdf.set_text_color(*_INK)
    pdf.set_font("Helvetica", style="B", size=19)
    pdf.multi_cell(0, 8.5, title, align="L", new_x="LMARGIN", new_y="NEXT")
    pdf.set_draw_color(*_ACCENT)
    pdf.set_line_width(0.8)
    pdf.line(17, pdf.get_y() + 2.5, 43, pdf.get_y() + 2.5)
    pdf.ln(7)
    pdf.set_font("Helvetica", size=10.5)
    pdf.set_text_color(*_QUIET)
    pdf.multi_cell(0, 5.4, introduction, align="L", new_x="LMARGIN", new_y="NEXT")
    pdf.ln(3)


def _heading(pdf: FPDF, text: str) -> None:
    if pdf.will_page_break(26):  # a heading is not left alone at the end of a page
        pdf.add_page()
    pdf.ln(2.5)
    pdf.start_section(text, level=1)
    pdf.set_text_color(*_ACCENT)
    pdf.set_font("Helvetica", style="B", size=12.5)
    pdf.multi_cell(0, 6.5, text, align="L", new_x="LMARGIN", new_y="NEXT")
    pdf.ln(1)


def _paragraph(pdf: FPDF, text: str) -> None:
    pdf.set_text_color(*_INK)
    pdf.set_font("Times", size=11.5)
    pdf.multi_cell(0, 5.5, text, align="L", new_x="LMARGIN", new_y="NEXT")
    pdf.ln(2.4)


def _table(pdf: FPDF, block: str) -> None:
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in block.splitlines()]
    pdf.set_text_color(*_INK)
    pdf.set_font("Helvetica", size=8.5)
    pdf.set_draw_color(190, 196, 206)
    pdf.set_line_width(0.2)
    if pdf.will_page_break(6.0 * len(rows) + 6):
        pdf.add_page()
    with pdf.table(
        borders_layout=TableBordersLayout.HORIZONTAL_LINES,
        headings_style=FontFace(emphasis="BOLD", color=_INK),
        text_align="LEFT",
        line_height=5.2,
        padding=0.6,
    ) as table:
        for row in rows:
            table.row(row)
    pdf.ln(4)


if __name__ == "__main__":
    SAMPLES.mkdir(exist_ok=True)
    make_all(SAMPLES)
