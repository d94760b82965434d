"""What benchmarks share: prose in pages, and a line for each ratio that was measured."""

import random
from pathlib import Path

import pytest

from tests.support.pdf_factory import make_pdf

WORDS = """
the of and to in is that for it as was with be by on not he his but at are this have from or had an
they which you were her all she there would their we him been has when who will more system index
document passage retrieval evidence claim source question answer page library royalty patent
contract invoice payment employee department report quarter budget review measure result figure
table method model training network vector language search engine
""".split()  # noqa: SIM905


def prose(seed: int, characters: int = 2_400) -> str:
    """Sentences of common words, a page long, the same for the same seed."""
    rng = random.Random(seed)
    paragraphs, size = [], 0
    while size < characters:
        sentences = []
        for _ in range(rng.randint(3, 6)):
            words = [rng.choice(WORDS) for _ in range(rng.randint(8, 18))]
            sentences.append(" ".join(words).capitalize() + ".")
        paragraphs.append(" ".join(sentences))
        size += len(paragraphs[-1])
    return "\n\n".join(paragraphs)


def write_prose(path: Path, pages: int, seed: int = 0) -> Path:
    """A PDF of ``pages`` pages of prose."""
    return make_pdf(path, [prose(seed * 100_000 + number) for number in range(pages)])


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]):
    """Prints a measured figure past pytest's capture, so that it is seen without ``-s``."""

    def say(text: str) -> None:
        with capsys.disabled():
            print(f"\n    {text}")

    return say
