"""What is different between two results of one set, in words that need no look at the code."""

from collections.abc import Mapping

#: Name of a part -> what it is called; the order is that in which changes are told.
_NAMES = {
    "questions": "questions",
    "judgements": "labels",
    "documents": "documents",
    "embedding model": "embedding model",
    "reranker": "reranker",
    "endpoint": "endpoint",
    "fusion": "fusion",
    "dense_weight": "dense weight",
    "dense_weight_foreign": "dense weight for languages the model does not know",
    "candidates": "passages asked of each retriever",
    "k_initial": "passages kept after fusion",
    "k_mmr": "passages kept after MMR",
    "k_final": "passages in the final list",
    "mmr_lambda": "lambda of MMR",
    "full_mmr": "MMR in the mode full",
    "chunked": "documents cut as PDFs are",
    "size": "characters of a child chunk",
    "overlap": "characters that children share",
    "parent": "characters of a parent chunk",
}
#: Digests say only that something is different; counts tell it better where they differ too.
_DIGESTS = {
    "data": ("texts or labels of the set", ("questions", "judgements", "documents")),
    "library": ("documents of the library", ("documents",)),
    "prompts": ("prompts", ()),
    "code": ("the code of the application", ()),
    "evaluation prompts": ("prompts of the judge of the evaluation", ()),
    "evaluation code": ("the code that grades", ()),
}


def changed(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """A few words for each part that is different: ``dense weight: 0.4 before, 0.3 now``."""
    parts = list(before.keys() | now.keys())
    order = list(_NAMES)
    parts.sort(key=lambda name: (order.index(name) if name in order else len(order), name))
    different = [name for name in parts if before.get(name) != now.get(name)]
    said = [
        f"{_NAMES.get(name, name)}: {before.get(name) or 'not known'} before, "
        f"{now.get(name) or 'not known'} now"
        for name in different
        if name not in _DIGESTS
    ]
    said += [
        f"{what}: not the same as before"
        for name, (what, told_by) in _DIGESTS.items()
        if name in different and not set(told_by) & set(different)
    ]
    return said
