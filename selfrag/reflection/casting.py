"""Who writes and who judges: chosen apart, from the settings, anew for each run.

| setting | writer | judge |
| --- | --- | --- |
| chat | `ChatWriter`, with an endpoint or a model file | `ChatJudge` |
| quotes | `ExtractiveWriter`: sentences from the documents | |
| decisions | | `DecisionJudge`: a probability with each grade |
| local | | `LocalJudge`: calibrated scores, no language model |

Any writer goes with any judge. Where nothing is configured these are quotes and local, which
every interface names as what they are.
"""

import copy
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.decisions import BaseDecisionModel
from langchain_openai import ChatOpenAI

from selfrag.errors import UserError
from selfrag.models.chat import make_chat_model
from selfrag.models.decisions import DecisionModel, EndpointDecisions, LangChainDecisions
from selfrag.models.gguf import LocalModel
from selfrag.models.named_by import RUNS, NamedBy
from selfrag.models.prices import LIST_PRICES, Price, cost
from selfrag.models.tracing import OFF
from selfrag.models.usage import Gate, Usage, UsageLedger
from selfrag.models.whereabouts import is_here
from selfrag.reflection.chat_judge import ChatJudge
from selfrag.reflection.chat_writer import ChatWriter
from selfrag.reflection.decision_judge import DecisionJudge
from selfrag.reflection.extractive_writer import ExtractiveWriter
from selfrag.reflection.local_judge import LocalJudge
from selfrag.reflection.roles import Judge, Writer
from selfrag.settings import Settings

#: A model in this process can't lose its connection: it is only slow.
_LOCAL_TIMEOUT = 600.0


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
            with; called only where one of them plays.
        own_key: the key is one that a person entered, and is named so where it is refused.

    Attributes:
        settings: what it casts from.
        tracing: where the runs are traced that it casts; nowhere until it is set.
        decision_model: any decision model of LangChain's, used where ``JUDGE=decisions`` in
            place of OpenAI's API.

    Raises:
        UserError: a key is missing or can't be one, a part has no model to play it, or
            LOCAL_MODEL can't be used.
    """

    def __init__(
        self, settings: Settings, encoder: Callable[[], Any], *, own_key: bool = False
    ) -> None:
        self.settings = settings
        self._encoder = encoder
        self._own_key = own_key
        self.tracing = OFF
        self._lock = threading.Lock()
        self._in_use = _InUse()
        self._models: dict[str, ChatOpenAI] = {}
        self._decisions: DecisionModel | None = None
        self._gate: Gate | None = None
        self.decision_model: BaseDecisionModel | None = None
        self.local_model: LocalModel | None = None
        _check(settings)
        self.prices = _prices(settings)
        if settings.local_model is not None:
            self.local_model = LocalModel(settings.local_model, context=settings.local_context)
        else:
            self._chat_models()

    @property
    def chat_models(self) -> list[ChatOpenAI]:
        """The chat models in use: none, one, or writer and judge. Loads a model file."""
        return list(self._chat_models().values())

    def chat_model(self, name: str, by: NamedBy = RUNS) -> ChatOpenAI:
        """A chat model of the endpoint (or the model file) by its name, made once and shared.

        Args:
            by: the settings that ask for it, for what goes wrong with one that is made now.
        """
        with self._lock:
            if name not in self._models:
                self._models[name] = self._make(name, by)
            return self._models[name]

    def encoder(self) -> Any:
        """The packaged embedding model, loaded when it is first asked for."""
        return self._encoder()

    def cast(self, guard: Callable[[Usage], None] | None = None, *_: object) -> Cast:
        """Writer and judge for one run; ``guard`` is asked before every call of a model.

        The first one waits until a model file is loaded.
        """
        ledger = UsageLedger(guard, self._price, self._gate)
        return Cast(self._cast_writer(ledger), self._cast_judge(ledger), ledger)

    def with_parts(self, writer: str | None, judge: str | None) -> "Casting":
        """The same models with other parts; not to be closed by itself.

        Args:
            writer, judge: as the settings of that name; what it was where None.

        Raises:
            UserError: there is no model to play a part.
        """
        changed = {"writer": writer, "judge": judge}
        if judge == "decisions" and judge not in self.judges():
            raise UserError("There is no decision model here. Choose another judge.")
        if judge == "chat" and self.settings.judges == "decisions":
            changed["judge_model"] = self.settings.writer_model  # it named the decision model
        settings = self.settings.model_copy(
            update={name: value for name, value in changed.items() if value is not None}
        )
        _check(settings)
        other = copy.copy(self)
        other.settings = settings
        return other

    def side_by_side(self) -> "Casting":
        """The same models for several runs at once, which together ask no more at once than one
        run does; not to be closed by itself."""
        other = copy.copy(self)
        other._gate = Gate(self._at_once)
        return other

    @property
    def _at_once(self) -> int:
        # A model file answers one at a time: side by side they would only wait.
        return 1 if self.local_model else self.settings.grade_concurrency

    def judges(self) -> list[str]:
        """The judges that can play: ``chat``, ``decisions``, ``local``."""
        decides = self.settings.judges == "decisions" or self.decision_model is not None
        there = {"chat": self.settings.llm_configured, "decisions": decides, "local": True}
        return [name for name, is_there in there.items() if is_there]

    def hold(self) -> Callable[[], None]:
        """Keep the models open for a run, whatever is closed meanwhile; returns what ends that."""
        return self._in_use.hold()

    def close(self) -> None:
        """Stop serving a model file and close connections, once no run holds them."""
        self._in_use.close(self._close)

    def _close(self) -> None:
        if self.local_model is not None:
            self.local_model.close()
        with self._lock:
            for model in self._models.values():
                model.root_client.close()
            self._models.clear()

    def _cast_writer(self, ledger: UsageLedger) -> Writer:
        settings = self.settings
        if settings.writes == "quotes":
            return ExtractiveWriter(self._encoder())
        name = settings.writer_model
        return ChatWriter(self._chat_models()[name], name, ledger)

    def _cast_judge(self, ledger: UsageLedger) -> Judge:
        settings = self.settings
        if settings.judges == "decisions":
            model = self._decision_model()
            words = self._chat_judge(ledger) if settings.writes == "chat" else self._local_judge()
            return DecisionJudge(model, words, ledger, useful_from=settings.useful_from)
        return self._chat_judge(ledger) if settings.judges == "chat" else self._local_judge()

    def _chat_judge(self, ledger: UsageLedger) -> ChatJudge:
        settings = self.settings
        name = settings.grading_model
        return ChatJudge(
            self._chat_models()[name],
            name,
            ledger,
            max_concurrency=self._at_once,
            one_request=settings.grade_in_one_request,
            useful_from=settings.useful_from,
        )

    def _local_judge(self) -> LocalJudge:
        return LocalJudge(self._encoder(), useful_from=self.settings.useful_from)

    def _decision_model(self) -> DecisionModel:
        if self.decision_model is not None:
            return LangChainDecisions(self.decision_model)
        settings = self.settings
        if settings.judge_model is None:
            raise UserError("JUDGE=decisions needs JUDGE_MODEL: set it to a decision model.")
        with self._lock:
            if self._decisions is None:
                self._decisions = EndpointDecisions(
                    settings.judge_model,
                    settings.llm_endpoint,
                    settings.llm_key,
                    timeout=settings.llm_timeout,
                )
            return self._decisions

    def _chat_models(self) -> dict[str, ChatOpenAI]:
        """The chat models by name, made once: writer and judge share what they can."""
        settings = self.settings
        names = [settings.writer_model] if settings.writes == "chat" else []
        if settings.judges == "chat":
            names.append(settings.grading_model)
        with self._lock:
            for name in names:
                if name not in self._models:
                    self._models[name] = self._make(name)
            return dict(self._models)

    def _make(self, name: str, by: NamedBy = RUNS) -> ChatOpenAI:
        settings = self.settings
        base_url, key, timeout = settings.llm_endpoint, settings.llm_key, settings.llm_timeout
        if self.local_model is not None:
            loaded = self.local_model.load()
            base_url, key, timeout = loaded.url, loaded.key, _LOCAL_TIMEOUT
        return make_chat_model(
            model=name,
            base_url=base_url,
            api_key=key,
            temperature=settings.llm_temperature,
            timeout=timeout,
            requests_per_minute=settings.llm_requests_per_minute,
            own_key=self._own_key,
            by=by,
        )

    def _price(self, model: str, usage: Usage) -> float | None:
        return cost({model: usage}, self.prices)


class _InUse:
    """Counts the runs that use something, and closes it after the last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held = 0
        self._closing: Callable[[], None] | None = None

    def hold(self) -> Callable[[], None]:
        with self._lock:
            self._held += 1
        done = threading.Event()

        def release() -> None:
            with self._lock:
                if done.is_set():
                    return
                done.set()
                self._held -= 1
                close = None if self._held else self._closing
            if close is not None:
                close()

        return release

    def close(self, close: Callable[[], None]) -> None:
        with self._lock:
            self._closing = close
            held = self._held
        if not held:
            close()


def _check(settings: Settings) -> None:
    for setting, value in (("WRITER", settings.writes), ("JUDGE", settings.judges)):
        if value == "chat" and not settings.llm_configured:
            raise UserError(
                f"{setting}=chat needs a chat model: set OPENAI_API_KEY, OPENROUTER_API_KEY, "
                f"LLM_BASE_URL or LOCAL_MODEL, or unset {setting}."
            )


def prices_at(
    base_url: str | None, own: Mapping[str, tuple[float, float]], models: Iterable[str] = ()
) -> dict[str, Price]:
    """What models cost at an endpoint: the list prices, and before them the person's own.

    Args:
        models: those that are asked there; they cost nothing where it is this computer.
    """
    prices = dict(LIST_PRICES)
    # The same name at someone else's endpoint is another model with another price.
    if base_url and "openai.com" not in base_url:
        prices = dict.fromkeys(models, Price(0.0, 0.0)) if is_here(base_url) else {}
    return prices | {name: Price(*pair) for name, pair in own.items()}


def _prices(settings: Settings) -> dict[str, Price]:
    models = (settings.writer_model, settings.grading_model)
    prices = prices_at(settings.llm_base_url, settings.model_prices, models)
    if settings.local_model is not None:
        prices[settings.writer_model] = Price(0.0, 0.0)
    return prices
