"""The tables: documents with their pages, runs with their event logs, conversations, feedback,
labels, results of evaluations.

A column that is added to a table must take NULL or have a ``server_default``: the rows that an
earlier version wrote have nothing in it (``database`` adds it to them).
"""

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

metadata = MetaData()

documents = Table(
    "documents",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("sha256", String(64), nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("source", Text),
    Column("bytes", Integer, nullable=False),
    Column("title", Text),
    Column("language", String(8)),
    Column("pages", JSON, nullable=False),
    Column("children", Integer, nullable=False, default=0),
    Column("parents", Integer, nullable=False, default=0),
    Column("embedding_model", Text),
    Column("state", String(16), nullable=False),
    Column("error", Text),
    Column("notes", JSON, nullable=False),
    Column("outline", JSON, nullable=False),
    Column("added_at", Float, nullable=False),
    Column("seconds", Float),
    Column("ocr", Boolean),
    Column("sizes", JSON(none_as_null=True)),
    Index("documents_by_name", "name"),
)

pages = Table(
    "pages",
    metadata,
    Column(
        "document_id",
        String(64),
        ForeignKey("documents.id", ondelete="CASCADE"),
        primary_key=True,
    ),
    Column("number", Integer, primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("text", Text, nullable=False),
    Column("body", JSON, nullable=False),
    Column("width", Float, nullable=False),
    Column("height", Float, nullable=False),
    Column("label", Text),
    Column("reason", Text),
)

runs = Table(
    "runs",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("question", Text, nullable=False),
    Column("status", String(16), nullable=False),
    Column("started_at", Float, nullable=False),
    Column("elapsed_s", Float),
    Column("events", JSON, nullable=False),
    Index("runs_by_start", "started_at"),
)

conversations = Table(
    "conversations",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("owner", String(255)),
    Column("title", Text, nullable=False),
    Column("searched", Text, nullable=False),
    Column("options", JSON, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("changed_at", Float, nullable=False),
    # NULL is a conversation of the chat.
    Column("kind", String(16)),
    Index("conversations_by_change", "owner", "changed_at"),
)

turns = Table(
    "turns",
    metadata,
    # Counted up by the database: two tabs may ask in one conversation at the same moment.
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column(
        "conversation_id",
        String(36),
        ForeignKey("conversations.id", ondelete="CASCADE"),
        nullable=False,
    ),
    Column(
        "run_id",
        String(36),
        ForeignKey("runs.id", ondelete="CASCADE"),
        nullable=False,
        unique=True,
    ),
    Column("searched", Text, nullable=False),
    Index("turns_by_conversation", "conversation_id", "id"),
)

feedback = Table(
    "feedback",
    metadata,
    Column("run_id", String(36), ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("thumb", Boolean),
    Column("note", Text, nullable=False),
    Column("changed_at", Float, nullable=False),
)

labels = Table(
    "labels",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("owner", String(255)),
    Column("question_id", String(16), nullable=False),
    Column("question", Text, nullable=False),
    Column("chunk_id", String(36), nullable=False),
    Column("document", Text, nullable=False),
    Column("page", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("relevance", Integer, nullable=False),
    Column("changed_at", Float, nullable=False),
    Index("labels_by_question", "owner", "question_id", "chunk_id"),
)

results = Table(
    "results",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("owner", String(255)),
    Column("kind", String(16), nullable=False),
    Column("name", Text, nullable=False),
    Column("signature", String(64), nullable=False),
    Column("asked", Text, nullable=False),
    Column("ended_at", Float, nullable=False),
    Column("seconds", Float),
    Column("questions", Integer, nullable=False),
    Column("undefined", Integer, nullable=False),
    Column("made_of", JSON, nullable=False),
    Column("means", JSON, nullable=False),
    Column("payload", JSON, nullable=False),
    Column("trace_url", Text),
    Index("results_by_end", "owner", "kind", "ended_at"),
)
