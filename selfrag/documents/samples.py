"""The sample library: a few short documents of our own, to try everything with.

They lie in ``selfrag/samples`` and go the way of every upload. They are known by their content,
so that they can be taken out again in one go, whatever they are called by then.
"""

import hashlib
import shutil
import uuid
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from selfrag.errors import UserError
from selfrag.records.documents import DocumentRecord

FOLDER = Path(__file__).parents[1] / "samples"


def sample_files() -> list[Path]:
    """The documents of the sample library, by name.

    Raises:
        UserError: they are not there.
    """
    files = sorted(FOLDER.glob("*.pdf"))
    if not files:
        raise UserError(
            f"The sample library is missing from {FOLDER}: install the application again, or add "
            "PDFs of your own."
        )
    return files


class Samples:
    """Loads the sample library and takes it out again.

    Args:
        documents: every document of the library.
        submit: takes a file in, in the background, and removes it: (file, name) -> job.
        delete: removes a document.
        incoming: where files wait for their job.
    """

    def __init__(
        self,
        documents: Callable[[], list[DocumentRecord]],
        submit: Callable[..., str],
        delete: Callable[[str], DocumentRecord],
        incoming: Callable[[], Path],
    ) -> None:
        self._documents = documents
        self._submit = submit
        self._delete = delete
        self._incoming = incoming

    def load(self) -> list[str]:
        """Take the samples in, in the background; returns the jobs.

        Raises:
            UserError: they are not there, or can't be copied.
        """
        jobs = []
        for file in sample_files():
            waiting = self._incoming() / f"{uuid.uuid4().hex}.pdf"
            try:
                shutil.copyfile(file, waiting)
            except OSError as error:
                raise UserError(
                    f"The sample library can't be copied ({error.strerror}): check that the "
                    "storage folder can be written and is not full."
                ) from error
            jobs.append(self._submit(waiting, file.name))
        return jobs

    def loaded(self) -> list[DocumentRecord]:
        """The samples that are in the library, in whatever state."""
        return [record for record in self._documents() if record.sha256 in _digests()]

    def remove(self) -> list[DocumentRecord]:
        """Take the samples out of the library; what else is in it stays."""
        return [self._delete(record.id) for record in self.loaded()]


@lru_cache(maxsize=1)
def _digests() -> frozenset[str]:
    return frozenset(hashlib.sha256(file.read_bytes()).hexdigest() for file in FOLDER.glob("*.pdf"))
