"""Moving a library's index between this machine and a Qdrant server, without embedding anew.

Both hold the same vectors, payloads and token ids, so points are copied as they are:

1. the collection is made at the target, marked as unfinished;
2. points are copied page by page, with their vectors;
3. the counts are compared, and only then the target gets the record that lets it be opened.

A move that was cut short leaves a marked collection, which the next one replaces; anything else
that is at the target is never touched. What was moved stays where it was, too.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, cast

from qdrant_client import QdrantClient, models

from selfrag.errors import UserError
from selfrag.index import fingerprint as fingerprints
from selfrag.index.edge import EdgeClient
from selfrag.index.lock import StorageLock
from selfrag.index.reach import reachable
from selfrag.index.schema import Client
from selfrag.index.server import ServerClient
from selfrag.settings import Settings

EMBEDDED = "embedded"
MARK = "unfinished_move"
_PAGE = 256
Progress = Callable[[str, int, int], None]


def move(settings: Settings, to: str, progress: Progress | None = None) -> dict[str, int]:
    """Copy the library's index to ``to``.

    Args:
        to: URL of a Qdrant server, or ``embedded`` for the folder in STORAGE_DIR.
        progress: told collection, points copied, points in all.

    Returns:
        Collection -> points copied.

    Raises:
        UserError: there is nothing to move, the target holds something already, either side
            cannot be reached or is in use.
    """
    with _both(settings, to) as (source, target):
        return copy(
            source,
            target,
            (settings.qdrant_collection, settings.qdrant_parent_collection),
            shards=settings.qdrant_shards,
            replicas=settings.qdrant_replicas,
            progress=progress,
        )


@contextmanager
def _both(settings: Settings, to: str) -> Iterator[tuple[Client, Client]]:
    """Source and target; the library cannot be used by anyone else meanwhile."""
    url = settings.qdrant_url if to == EMBEDDED else to
    if url is None:
        raise UserError(
            "The index is on this machine already. To fetch it from a server, set QDRANT_URL to "
            "that server and run this again."
        )
    if not url.startswith(("http://", "https://")):
        raise UserError(
            f"{to!r} is neither a URL nor {EMBEDDED}: write --to http://HOST:6333 or "
            f"--to {EMBEDDED}."
        )
    storage = settings.storage_dir.expanduser()
    key = settings.qdrant_api_key
    with ExitStack() as opened:
        opened.callback(StorageLock(storage).release)
        here = EdgeClient(storage / "index")
        opened.callback(here.close)
        server = ServerClient(url, key.get_secret_value() if key else None)
        opened.callback(server.close)
        yield (server, here) if to == EMBEDDED else (here, server)


@reachable()
def copy(
    source: Client,
    target: Client,
    names: tuple[str, ...],
    *,
    shards: int | None = None,
    replicas: int | None = None,
    progress: Progress | None = None,
) -> dict[str, int]:
    """Copy collections from one client to another; see `move`.

    Args:
        shards, replicas: of the collections when they are made on a server.
    """
    # EdgeClient speaks the part of QdrantClient that is used here.
    origin, goal = cast(QdrantClient, source), cast(QdrantClient, target)
    for name in names:
        if not origin.collection_exists(name):
            raise UserError(
                f"There is no collection {name} to move: add documents first, or check "
                "QDRANT_URL and QDRANT_COLLECTION."
            )
        _must_be_free(goal, name)
    copied = {}
    for name in names:
        info = origin.get_collection(name)
        record = info.config.metadata or {}
        if fingerprints.KEY not in record:
            raise UserError(
                f"The collection {name} was not built by this program, or its own move was cut "
                "short: choose another with QDRANT_COLLECTION."
            )
        if goal.collection_exists(name):
            goal.delete_collection(name)
        _make(goal, name, info, shards, replicas)
        copied[name] = _points(origin, goal, name, progress)
    for name in names:  # both are whole: now they may be opened
        record = origin.get_collection(name).config.metadata or {}
        goal.update_collection(
            name, metadata={fingerprints.KEY: record[fingerprints.KEY], MARK: False}
        )
    return copied


def _must_be_free(goal: QdrantClient, name: str) -> None:
    """Nothing, an empty collection or one that a move left unfinished may be replaced."""
    if not goal.collection_exists(name):
        return
    found = goal.get_collection(name)
    unfinished = (found.config.metadata or {}).get(MARK) is True
    if not unfinished and goal.count(name, exact=True).count:
        raise UserError(
            f"The target holds a collection {name} already, which is not overwritten: delete it "
            "there, or choose another name with QDRANT_COLLECTION."
        )


def _make(
    goal: QdrantClient,
    name: str,
    info: models.CollectionInfo,
    shards: int | None,
    replicas: int | None,
) -> None:
    params = info.config.params
    goal.create_collection(
        name,
        vectors_config=cast(Any, params.vectors or {}),
        sparse_vectors_config=params.sparse_vectors or {},
        shard_number=shards,
        replication_factor=replicas,
        write_consistency_factor=replicas,
        metadata={MARK: True},
    )
    schema: Mapping[str, Any] = info.payload_schema or {}
    # The in-memory client of tests tells no schema; these are the fields that searches filter by.
    for field in {*schema, "metadata.document_id", "metadata.language"}:
        goal.create_payload_index(name, field, models.PayloadSchemaType.KEYWORD)


def _points(origin: QdrantClient, goal: QdrantClient, name: str, progress: Progress | None) -> int:
    total = origin.count(name, exact=True).count
    offset: Any = None
    done = 0
    while True:
        page, offset = origin.scroll(
            name, limit=_PAGE, offset=offset, with_payload=True, with_vectors=True
        )
        if page:
            goal.upsert(
                name,
                [
                    models.PointStruct(
                        id=point.id, vector=cast(Any, point.vector or {}), payload=point.payload
                    )
                    for point in page
                ],
            )
        done += len(page)
        if progress is not None:
            progress(name, done, total)
        if offset is None:
            break
    there = goal.count(name, exact=True).count
    if there != total:
        raise UserError(
            f"Of {total} points of {name} the target has {there}: it was written to meanwhile, "
            "or lost some. Nothing was changed here; run the move again."
        )
    return total
