"""What programs are given, whichever way they ask: REST, MCP and ``--json`` share these models.

They are what is really validated and sent, so the OpenAPI description and the tools' output
schemas are made from them and cannot say anything else.
"""

from selfrag.interfaces.schemas.answers import (
    AnswerResult,
    CitationItem,
    EvidenceItem,
    Exported,
    Report,
    RunItem,
    RunList,
    RunUnderWay,
)
from selfrag.interfaces.schemas.base import Quoted, Value
from selfrag.interfaces.schemas.documents import (
    Deleted,
    DocumentItem,
    DocumentList,
    IngestItem,
    JobItem,
    PageList,
    PageText,
)
from selfrag.interfaces.schemas.health import Alive, CheckItem, Health
from selfrag.interfaces.schemas.search import HitItem, Score, SearchResult, StageItem

__all__ = [
    "Alive",
    "AnswerResult",
    "CheckItem",
    "CitationItem",
    "Deleted",
    "DocumentItem",
    "DocumentList",
    "EvidenceItem",
    "Exported",
    "Health",
    "HitItem",
    "IngestItem",
    "JobItem",
    "PageList",
    "PageText",
    "Quoted",
    "Report",
    "RunItem",
    "RunList",
    "RunUnderWay",
    "Score",
    "SearchResult",
    "StageItem",
    "Value",
]
