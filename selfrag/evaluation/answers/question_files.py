"""Questions files that were uploaded, kept so that a study can go on after the page is left.

Each person sees their own; what nobody owns is everybody's, as with labels.
"""

from pathlib import Path

from selfrag.errors import UserError
from selfrag.evaluation.answers.questions import QuestionSet, read_questions

#: Questions about the sample library; also a template for files of one's own.
EXAMPLE = Path(__file__).parents[2] / "samples" / "questions.csv"
_LARGEST = 20_000_000  #: bytes


class QuestionFiles:
    """The questions files in a folder.

    Args:
        folder: where each person has a folder, and each file its name in it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def all(self, owner: str | None = None) -> list[str]:
        """Names, in alphabetical order."""
        return sorted(path.name for path in self._of(owner).glob("*.csv"))

    def read(self, name: str, owner: str | None = None) -> QuestionSet:
        """The questions of one.

        Raises:
            UserError: there is none of that name, or it can no longer be read.
        """
        if name not in self.all(owner):
            raise UserError(f"There are no questions {name!r} (any more): choose others.")
        return read_questions((self._of(owner) / name).read_bytes(), name)

    def add(self, content: bytes, name: str, owner: str | None = None) -> QuestionSet:
        """Check a file and keep it, in place of one with its name.

        Raises:
            UserError: it is too large, or as `read_questions`.
        """
        if len(content) > _LARGEST:
            raise UserError(f"{name} is larger than 20 MB: leave out columns that are not read.")
        called = f"{_safe(Path(name).stem)}.csv"
        read_questions(content, name)
        folder = self._of(owner)
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / f".{called}.part"
        part.write_bytes(content)
        part.replace(folder / called)
        return self.read(called, owner)

    def remove(self, name: str, owner: str | None = None) -> None:
        """Delete a file; what was measured with it is kept.

        Raises:
            UserError: there is none of that name.
        """
        if name not in self.all(owner):
            raise UserError(f"There are no questions {name!r} (any more): choose others.")
        (self._of(owner) / name).unlink()

    def _of(self, owner: str | None) -> Path:
        return self._folder / (owner or "everybody")


def _safe(name: str) -> str:
    kept = "".join(c if c.isalnum() or c in "-_. " else "_" for c in name).strip(". ")
    return kept[:80] or "questions"
