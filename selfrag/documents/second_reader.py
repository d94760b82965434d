"""pypdf as second reader, for a file or page where pdfium yields nothing.

It reads some damaged files that pdfium refuses. Its text has no positions, so such pages
cannot be highlighted. Whatever it raises counts as "nothing": it is the last resort, and
the first reader's reason is the one that is told.
"""

import logging
from pathlib import Path

from selfrag.documents.normalise import character
from selfrag.documents.ocr import paragraphs

_log = logging.getLogger(__name__)


class SecondReader:
    """A file as pypdf sees it; opened at the first question, once.

    Args:
        path: the file.
        password: what opens it, if anything is needed.
    """

    def __init__(self, path: Path, password: str | None = None) -> None:
        self._path = path
        self._password = password
        self._found: list[object] | None = None
        self.opened = False  #: whether pypdf could open the file, once it was asked for anything
        self.damaged: set[int] = set()  #: pages (0-based) whose content pypdf could not parse

    @property
    def page_count(self) -> int:
        """How many pages pypdf finds; 0 where it cannot open the file."""
        return len(self._pages())

    def text(self, index: int) -> str:
        """Normalised text of page ``index`` (0-based), or "" where pypdf has none either."""
        pages = self._pages()
        if index >= len(pages):
            return ""
        try:
            raw: str = pages[index].extract_text()  # type: ignore[attr-defined]
        except Exception as error:  # pypdf raises anything on damaged files
            self.damaged.add(index)
            _log.info("second reader: page %d of %s: %r", index + 1, self._path.name, error)
            return ""
        return paragraphs("\n".join("".join(map(character, ln)) for ln in raw.splitlines()))

    def _pages(self) -> list[object]:
        if self._found is None:
            self._found = []
            try:
                import pypdf

                logging.getLogger("pypdf").setLevel(logging.ERROR)
                reader = pypdf.PdfReader(self._path, strict=False, password=self._password)
                self._found = list(reader.pages)
                self.opened = True
            except Exception as error:
                _log.info("second reader cannot open %s: %r", self._path.name, error)
        return self._found
