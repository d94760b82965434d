"""What is told of a document that got in, beside that it is ready."""

from collections.abc import Sequence

from selfrag.models.embeddings import EmbeddingModel
from selfrag.models.multilingual import advice
from selfrag.pages import Chunk, PageKind, Reading


def remarks(reading: Reading, children: Sequence[Chunk], model: EmbeddingModel) -> list[str]:
    """Sentences about pages left out, the language, and chunks longer than the model reads."""
    unknown = advice(reading.language, model.name, model.languages)
    return [
        *reading.notes,
        *_left_out(reading),
        *([unknown] if unknown else []),
        *_cut_off(children, model),
    ]


def _left_out(reading: Reading) -> list[str]:
    """A remark for each kind of page that can't be found by searching."""
    total = len(reading.pages)
    scanned, failed = reading.count(PageKind.SCANNED), reading.count(PageKind.FAILED)
    found = []
    if scanned:
        found.append(
            f"{scanned:,} of {total:,} pages are only images and cannot be found without text "
            "recognition (OCR)"
        )
    if failed:
        found.append(f"{failed:,} of {total:,} pages could not be read")
    return found


def _cut_off(children: Sequence[Chunk], model: EmbeddingModel) -> list[str]:
    cut = model.cut_off([child.text for child in children])
    if not cut:
        return []
    return [
        f"{cut:,} of {len(children):,} chunks are longer than {model.name} reads "
        f"({model.reads} tokens): what stands at their ends is found by its words only. Read the "
        "document again with smaller chunks"
    ]
