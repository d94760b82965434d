"""What some embedding models want written before a query or a passage.

FastEmbed describes it ("Prefixes for queries/documents: necessary") and leaves it to its
caller; only for jina-embeddings-v3 does it choose the task itself. The wording is that of each
model's card. Without it such a model finds less, and nothing says so.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prefixes:
    """Text before each query and each passage; empty where the model wants none."""

    query: str = ""
    passage: str = ""


_RETRIEVE = Prefixes(query="Represent this sentence for searching relevant passages: ")
_NOMIC = Prefixes(query="search_query: ", passage="search_document: ")
_INSTRUCTION = "Given a web search query, retrieve relevant passages that answer the query"

#: Beginning of a model's name, in lower case -> its prefixes.
_BY_NAME = {
    "baai/bge-small-zh": Prefixes(query="为这个句子生成表示以用于检索相关文章："),
    "baai/bge-": _RETRIEVE,
    "mixedbread-ai/mxbai-embed-large-v1": _RETRIEVE,
    "snowflake/snowflake-arctic-embed-": _RETRIEVE,
    "nomic-ai/nomic-embed-text-": _NOMIC,
    "intfloat/multilingual-e5-": Prefixes(query="query: ", passage="passage: "),
    "google/embeddinggemma-": Prefixes(
        query="task: search result | query: ", passage="title: none | text: "
    ),
    "qwen/qwen3-embedding-": Prefixes(query=f"Instruct: {_INSTRUCTION}\nQuery:"),
    "qdrant/stella-en-": Prefixes(query=f"Instruct: {_INSTRUCTION}.\nQuery: "),
}

_LANGUAGES = {"English": "en", "Chinese": "zh", "German": "de", "Spanish": "es"}


def prefixes_of(name: str) -> Prefixes:
    """The prefixes of a model of FastEmbed's."""
    for beginning, prefixes in _BY_NAME.items():
        if name.lower().startswith(beginning):
            return prefixes
    return Prefixes()


def languages_of(description: str) -> frozenset[str] | None:
    """ISO 639-1 codes that FastEmbed's description of a model names; None: it knows many.

    >>> languages_of("Text embeddings, Unimodal (text), English, 512 input tokens")
    frozenset({'en'})
    """
    named = frozenset(code for name, code in _LANGUAGES.items() if name in description)
    return named or None
