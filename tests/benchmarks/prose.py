"""Text that is as varied as that of real documents, made anew from a seed.

The words are those of the packaged model's own vocabulary, drawn by Zipf's law; one in ten is
put together from pieces, as names and terms are, so that it takes several tokens. Sentences,
paragraphs and pages have lengths that vary as a writer's do, with tables and references among
them. What it says is nonsense, which
costs neither the reader nor the model more or less than sense.
"""

import json
import math
import random
import string
from functools import cache
from importlib.metadata import distribution
from itertools import accumulate
from pathlib import Path

from selfrag.models.packaged import PACKAGED
from tests.support.pdf_factory import make_pdf

_FLATTENED = 2.7  # added to a word's rank: the commonest are not as common as Zipf has them
_COMPOSED = 0.1  # share of words that are put together from pieces
_LONGEST = 3_600  # characters that fit on a page


@cache
def _vocabulary() -> tuple[list[str], list[float], list[str]]:
    """Whole words, the commonest first, with their accumulated weights; and pieces of words."""
    file = PACKAGED["tokenizer.json"]
    located = Path(str(distribution(file.package).locate_file(file.path)))
    numbers: dict[str, int] = json.loads(located.read_text("utf-8"))["model"]["vocab"]
    in_order = sorted(numbers, key=lambda word: numbers[word])
    words = [w for w in in_order if w.isascii() and w.isalpha() and (len(w) > 1 or w in "ai")]
    pieces = [w[2:] for w in in_order if w.startswith("##") and w[2:].isalpha() and w.isascii()]
    weights = list(accumulate(1 / (rank + _FLATTENED) for rank in range(len(words))))
    return words, weights, pieces


def _sentence(rng: random.Random) -> str:
    words, weights, pieces = _vocabulary()
    count = min(60, max(3, round(rng.lognormvariate(math.log(17), 0.55))))
    drawn = rng.choices(words, cum_weights=weights, k=count)
    for place in range(count):
        chance = rng.random()
        if chance < _COMPOSED:
            drawn[place] += "".join(rng.choices(pieces, k=rng.randint(1, 2)))
            drawn[place] = drawn[place].capitalize() if chance < _COMPOSED / 2 else drawn[place]
        elif chance > 0.985:
            drawn[place] = f"{rng.randint(1, 9_999):,}"
        if place and place < count - 1 and rng.random() < 0.07:
            drawn[place] += ","
    return " ".join(drawn)[0].upper() + " ".join(drawn)[1:] + rng.choice("....?")


def _table(rng: random.Random) -> str:
    """Rows of a label and figures, as reports and papers have them."""
    words, weights, _ = _vocabulary()
    columns = rng.randint(3, 7)
    rows = []
    for _ in range(rng.randint(4, 14)):
        label = rng.choices(words, cum_weights=weights, k=rng.randint(1, 2))
        cells = [f"{rng.uniform(0, 10 ** rng.randint(1, 5)):,.2f}" for _ in range(columns)]
        rows.append("  ".join([" ".join(label).capitalize(), *cells]))
    return "\n".join(rows)


def _name(rng: random.Random) -> str:
    _, _, pieces = _vocabulary()
    surname = "".join(rng.choices(pieces, k=2)).capitalize()
    return f"{surname}, {rng.choice(string.ascii_uppercase)}."


def _references(rng: random.Random) -> str:
    """Entries of a bibliography: names, years, pages and an address."""
    words, weights, pieces = _vocabulary()
    entries = []
    for number in range(1, rng.randint(4, 9)):
        names = [_name(rng) for _ in range(rng.randint(1, 4))]
        title = " ".join(rng.choices(words, cum_weights=weights, k=rng.randint(4, 11)))
        first = rng.randint(1, 900)
        entries.append(
            f"[{number}] {', '.join(names)} ({rng.randint(1970, 2026)}). {title.capitalize()}. "
            f"{rng.choice(words).title()} {rng.randint(1, 60)}({rng.randint(1, 12)}), "
            f"{first}-{first + rng.randint(4, 30)}. doi:10.{rng.randint(1000, 9999)}/"
            f"{rng.choice(pieces)}.{rng.randint(10_000, 9_999_999)}"
        )
    return "\n\n".join(entries)


def prose(seed: int, characters: int | None = None) -> str:
    """A page of paragraphs, headings, tables and references, the same for the same seed.

    Args:
        characters: about how many; where None as many as pages have, from a few lines to full.
    """
    rng = random.Random(seed)
    words, weights, _ = _vocabulary()
    wanted = characters or min(_LONGEST, round(rng.triangular(600, _LONGEST, 2_800)))
    blocks: list[str] = []
    size = 0
    while size < wanted:
        if wanted > 400 and rng.random() < 0.15:
            title = rng.choices(words, cum_weights=weights, k=rng.randint(2, 6))
            blocks.append("# " + " ".join(title).title())
        chance = rng.random()
        if wanted > 400 and chance < 0.12:
            blocks.append(_table(rng) if chance < 0.08 else _references(rng))
            size += len(blocks[-1])
            continue
        sentences = [_sentence(rng) for _ in range(1 if wanted <= 400 else rng.randint(1, 8))]
        blocks.append(" ".join(sentences)[: wanted + 100 - size])
        size += len(blocks[-1])
    return "\n\n".join(blocks)


def write_prose(path: Path, pages: int, seed: int = 0, characters: int | None = None) -> Path:
    """A PDF of ``pages`` pages of prose; ``characters`` of each as for ``prose``."""
    return make_pdf(path, [prose(seed * 100_000 + number, characters) for number in range(pages)])
