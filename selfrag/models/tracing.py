"""Tracing to LangSmith: on by its own settings, and otherwise off whatever the environment says.

LangChain traces by itself where variables of the environment tell it to, among them those of
years ago (``LANGCHAIN_TRACING_V2``). A person's documents must not leave the machine by a line
that another project left in their shell: `switch_off` turns it off for the process, and only what
runs inside ``Tracing.run`` of a tracing that is on is sent.

Traces are sent by threads of the LangSmith client; an endpoint that is down costs them, and no
answer. The address of a trace needs the project's id, which is asked for once, in a thread.
"""

import logging
import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import langsmith
from langsmith.run_trees import RunTree, configure

from selfrag.models.langsmith_wire import OneOrigin, hear, hear_no_more
from selfrag.settings import Settings

logger = logging.getLogger(__name__)

_FLUSH = 2.0  #: seconds that the end of the application waits for traces under way
_LONGEST = 300  #: characters of a failure that are shown
_CONNECT_MS, _READ_MS = 5_000, 20_000
_ASK_AGAIN = 60.0  #: seconds after which an endpoint that did not answer is asked again


@dataclass(frozen=True, slots=True)
class Trace:
    """One run being traced, or not.

    Attributes:
        id: of the trace; None where nothing is traced.
        config: for the graph: gives the trace its id and its name.
    """

    id: UUID | None = None
    config: dict[str, Any] = field(default_factory=dict)


class Tracing:
    """Where runs are traced; nowhere where it is off.

    Attributes:
        project: of LangSmith.
        endpoint: the API's address.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        self.project = self.endpoint = ""
        self._client: langsmith.Client | None = None
        self._project_url: str | None = None
        self._lock = threading.Lock()
        self._asked_at: float | None = None
        self._failure_told = False
        if settings is None:
            return
        self.project, self.endpoint = settings.langsmith_project, settings.langsmith_endpoint
        if settings.langsmith_tracing and settings.langsmith_api_key is not None:
            # Its threads would keep the process alive while an endpoint that is down is retried.
            os.environ.setdefault("LANGSMITH_USE_DAEMON", "true")
            # Compressed ones are sent by threads that the process waits for when it ends.
            os.environ.setdefault("LANGSMITH_DISABLE_RUN_COMPRESSION", "true")
            hear(self.endpoint, self._tell)  # first: the client's threads start as it is made
            self._client = langsmith.Client(
                self.endpoint,
                api_key=settings.langsmith_api_key.get_secret_value(),
                timeout_ms=(_CONNECT_MS, _READ_MS),
                session=OneOrigin(),
            )

    @property
    def on(self) -> bool:
        """Whether anything is traced."""
        return self._client is not None

    @contextmanager
    def run(self, name: str, **metadata: str) -> Iterator[Trace]:
        """Trace what LangChain does inside, in this thread and those it starts."""
        if self._client is None:
            with langsmith.tracing_context(enabled=False):
                yield Trace()
            return
        self._find_project()
        trace_id = langsmith.uuid7()
        config = {"run_id": trace_id, "run_name": name, "metadata": metadata}
        with langsmith.tracing_context(
            enabled=True, client=self._client, project_name=self.project
        ):
            yield Trace(trace_id, config)

    @contextmanager
    def group(
        self, name: str, inputs: Mapping[str, Any], **metadata: str
    ) -> Iterator[dict[str, Any]]:
        """Trace what LangChain does inside as one trace, though no graph holds it together.

        Yields:
            its outputs, to be filled in.
        """
        outputs: dict[str, Any] = {}
        with self.run(name, **metadata) as trace:
            if trace.id is None:
                yield outputs
                return
            with langsmith.trace(
                name, inputs=dict(inputs), run_id=trace.id, metadata=trace.config["metadata"]
            ) as whole:
                yield outputs
                whole.end(outputs=outputs)

    def record(
        self, name: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any], seconds: float
    ) -> str | None:
        """Send something that is over as a trace of its own.

        Returns:
            its address; None where nothing is traced or the address is not known.
        """
        if self._client is None:
            return None
        self._find_project()
        end = time.time()
        trace = RunTree(
            id=langsmith.uuid7(),
            name=name,
            run_type="chain",
            inputs=dict(inputs),
            outputs=dict(outputs),
            start_time=datetime.fromtimestamp(end - seconds, UTC),
            end_time=datetime.fromtimestamp(end, UTC),
            project_name=self.project,
            ls_client=self._client,
        )
        trace.post()
        return self.url(trace.id)

    def url(self, trace_id: UUID | None) -> str | None:
        """Where a trace can be looked at; None where that is not known (yet). Never waits."""
        if trace_id is None or self._project_url is None:
            return None
        return f"{self._project_url}/r/{trace_id}?poll=true"

    def close(self) -> None:
        """Send what is under way, for two seconds at most; what is not sent by then is lost."""
        if self._client is None:
            return
        queue = self._client.tracing_queue
        # In a thread, since the client limits the wait for its queue, but not for a batch.
        closing = threading.Thread(
            target=self._client.close, args=(_FLUSH,), name="langsmith-close", daemon=True
        )
        closing.start()
        closing.join(_FLUSH)
        if closing.is_alive() or (queue is not None and queue.unfinished_tasks):
            self._tell(f"they were not taken in within {_FLUSH:.0f} seconds")
        hear_no_more(self.endpoint)

    def _tell(self, why: str) -> None:
        """Say once that traces are lost; the client would say so for each of them."""
        with self._lock:
            told, self._failure_told = self._failure_told, True
        logger.log(
            logging.DEBUG if told else logging.WARNING,
            "LangSmith at %s takes no traces, answers are not touched by that: %s",
            self.endpoint,
            " ".join(why.split())[:_LONGEST],
        )

    def _find_project(self) -> None:
        """Ask for the project's address, which makes it where it is not there, in a thread."""
        with self._lock:
            now = time.monotonic()
            waiting = self._asked_at is not None and now - self._asked_at < _ASK_AGAIN
            if self._project_url is not None or waiting:
                return
            self._asked_at = now
        threading.Thread(target=self._ask_project, name="langsmith-project", daemon=True).start()

    def _ask_project(self) -> None:
        assert self._client is not None
        try:
            self._project_url = self._client.create_project(self.project, upsert=True).url
        except Exception as error:  # whatever it is, the answer must not suffer
            self._tell(f"{error} (runs have no links to their traces either)")


#: Traces nothing: for runs that are nobody's answer.
OFF = Tracing()


def switch_off() -> None:
    """Nothing is traced in this process but what `Tracing.run` says, whatever variables are set."""
    configure(enabled=False)
