"""Who writes and who judges: chosen apart, from the settings, anew for each run.

A chat model where one is configured; otherwise the extractive writer and the local judge, which
every interface names as what they are.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from langchain_openai import ChatOpenAI

from selfrag.models.chat import make_chat_model
from selfrag.models.usage import Usage, UsageLedger
from selfrag.reflection.chat_judge import ChatJudge
from selfrag.reflection.chat_writer import ChatWriter
from selfrag.reflection.extractive_writer import ExtractiveWriter
from selfrag.reflection.local_judge import LocalJudge
from selfrag.reflection.roles import Judge, Writer
from selfrag.settings import Settings


@dataclass(frozen=True, slots=True)
class Cast:
    """The two roles of one run, and the ledger that both write into."""

    writer: Writer
    judge: Judge
    ledger: UsageLedger


class Casting:
    """Makes the cast of a run.

    Args:
        encoder: the packaged embedding model, which local judge and extractive writer work
            with; called only where no chat model is configured.

    Raises:
        UserError: a key is missing or can't be one.
    """

    def __init__(self, settings: Settings, encoder: Callable[[], Any]) -> None:
        self._settings = settings
        self._encoder = encoder
        self._writer: ChatOpenAI | None = None
        self._judge: ChatOpenAI | None = None
        if settings.llm_configured:
            self._writer = self._chat(settings.writer_model)
            same = settings.grading_model == settings.writer_model
            self._judge = self._writer if same else self._chat(settings.grading_model)

    @property
    def chat_models(self) -> list[ChatOpenAI]:
        """The chat models in use: none, one, or writer and judge."""
        models = [model for model in (self._writer, self._judge) if model is not None]
        return models[:1] if len(models) == 2 and models[0] is models[1] else models

    def cast(self, guard: Callable[[Usage], None] | None = None) -> Cast:
        """Writer and judge for one run; ``guard`` is asked before every call of a model."""
        ledger = UsageLedger(guard)
        if self._writer is None or self._judge is None:
            encoder = self._encoder()
            return Cast(ExtractiveWriter(encoder), LocalJudge(encoder), ledger)
        settings = self._settings
        return Cast(
            ChatWriter(self._writer, settings.writer_model, ledger),
            ChatJudge(self._judge, settings.grading_model, ledger),
            ledger,
        )

    def _chat(self, model: str) -> ChatOpenAI:
        return make_chat_model(
            model=model,
            base_url=self._settings.llm_endpoint,
            api_key=self._settings.llm_key,
            temperature=self._settings.llm_temperature,
            timeout=self._settings.llm_timeout,
            requests_per_minute=self._settings.llm_requests_per_minute,
        )
