"""Makes PDFs for tests: ``make_pdf(path, [page, ...])``.

A page is a string (paragraphs separated by blank lines, "# " begins a heading) or one of
``Columns``, ``Table``, ``Scan``, ``Empty``, ``Draw``. Written with fpdf2 in Helvetica, so
texts are limited to Latin-1. ``raw_pdf`` writes a file from bare content streams, and
``write_objects`` from bare objects, for what a library would never write.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fpdf import FPDF
from fpdf.enums import AccessPermission
from PIL import Image, ImageDraw, ImageFont


@dataclass(frozen=True)
class Columns:
    """Texts set side by side; ``across`` writes them line by line, as some programs do."""

    texts: tuple[str, ...]
    across: bool = False
    above: str = ""


@dataclass(frozen=True)
class Table:
    """Rows of cells, without rules."""

    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Scan:
    """Only an image of ``text``; ``layer`` is written over it invisibly, as OCR does."""

    text: str = "Scanned words"
    layer: str = ""


@dataclass(frozen=True)
class Empty:
    """Nothing."""


@dataclass(frozen=True)
class Draw:
    """Whatever ``draw`` does with the FPDF object."""

    draw: Callable[[FPDF], None]


PageSpec = str | Columns | Table | Scan | Empty | Draw


def make_pdf(
    path: Path,
    pages: Sequence[PageSpec] = ("Hello world.",),
    *,
    title: str | None = None,
    header: str = "",
    footer: str = "",
    password: str | None = None,
    owner_password: str | None = None,
    outline: Sequence[tuple[str, int]] = (),
) -> Path:
    """Writes a PDF of A4 pages and returns its path.

    Args:
        path: where to.
        pages: one entry per page.
        title: metadata title.
        header, footer: on every page; ``{n}`` is its number.
        password: needed to open it.
        owner_password: needed to print or copy only, if ``password`` is not given.
        outline: bookmarks: title and 1-based page.
    """
    pdf = FPDF()
    pdf.set_auto_page_break(False)
    pdf.set_margin(20)
    if title:
        pdf.set_title(title)
    for number, spec in enumerate(pages, start=1):
        pdf.add_page()
        for name, at in outline:
            if at == number:
                pdf.start_section(name)
        pdf.set_font("Helvetica", size=9)
        if header:
            pdf.text(20, 12, header.format(n=number))
        if footer:
            pdf.text(20, 287, footer.format(n=number))
        pdf.set_xy(20, 25)
        _write(pdf, spec)
    if password or owner_password:
        pdf.set_encryption(
            owner_password=owner_password or f"{password}-owner",
            user_password=password or "",
            permissions=AccessPermission.none(),
        )
    pdf.output(str(path))
    return path


def _write(pdf: FPDF, spec: PageSpec) -> None:
    if isinstance(spec, str):
        _paragraphs(pdf, spec)
    elif isinstance(spec, Columns):
        _columns(pdf, spec)
    elif isinstance(spec, Table):
        pdf.set_font("Helvetica", size=11)
        for r, row in enumerate(spec.rows):
            for c, cell in enumerate(row):
                pdf.text(20 + c * 170 / len(row), 30 + r * 6, cell)
    elif isinstance(spec, Scan):
        pdf.image(_picture(spec.text), x=0, y=0, w=210, h=297)
        if spec.layer:
            pdf.set_font("Helvetica", size=11)
            with pdf.local_context(text_mode="INVISIBLE"):
                pdf.text(20, 40, spec.layer)
    elif isinstance(spec, Draw):
        pdf.set_font("Helvetica", size=11)
        spec.draw(pdf)


def _paragraphs(pdf: FPDF, text: str, width: float = 170, x: float = 20) -> None:
    for block in text.split("\n\n"):
        heading = block.startswith("# ")
        pdf.set_x(x)
        pdf.set_font("Helvetica", style="B" if heading else "", size=16 if heading else 11)
        pdf.multi_cell(width, 8 if heading else 5.5, block.removeprefix("# "), align="L")
        pdf.ln(4)


def _columns(pdf: FPDF, spec: Columns) -> None:
    if spec.above:
        _paragraphs(pdf, spec.above)
    pdf.set_font("Helvetica", size=10)
    top, count = pdf.get_y() + 6, len(spec.texts)
    width = (170 - 8 * (count - 1)) / count
    columns = [pdf.multi_cell(width, 5, text, dry_run=True, output="LINES") for text in spec.texts]
    places = [(r, c) for c, lines in enumerate(columns) for r in range(len(lines))]
    for r, c in sorted(places) if spec.across else places:
        pdf.text(20 + c * (width + 8), top + r * 5, columns[c][r])


def _picture(text: str) -> Image.Image:
    image = Image.new("RGB", (1240, 1754), "white")
    font = ImageFont.load_default(size=48)
    ImageDraw.Draw(image).multiline_text((120, 160), text, fill="black", font=font)
    return image


def raw_pdf(
    path: Path,
    contents: Sequence[bytes],
    *,
    media_box: str = "0 0 595 842",
    font: str = "/Type /Font /Subtype /Type1 /BaseFont /Helvetica",
    extra: Sequence[bytes] = (),
) -> Path:
    """Writes a PDF with one page per content stream, in which ``/F`` is the font.

    ``extra`` are further objects, numbered from 4 + 2 x the number of pages on.
    """
    kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(len(contents)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(contents)} >>".encode(),
        f"<< {font} >>".encode(),
    ]
    for i, content in enumerate(contents):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [{media_box}] /Contents {5 + 2 * i} 0 R "
            "/Resources << /Font << /F 3 0 R >> >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    objects += extra
    return write_objects(path, objects)


def write_objects(path: Path, objects: Sequence[bytes]) -> Path:
    """Writes a PDF from the bodies of its objects, numbered from 1; the first is the catalog."""
    out, offsets = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    xref = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer << /Size %d /Root 1 0 R >>\n" % (len(objects) + 1)
    out += b"startxref\n%d\n%%%%EOF\n" % xref
    path.write_bytes(out)
    return path
