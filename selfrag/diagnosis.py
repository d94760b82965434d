"""What is configured, reachable and missing, in plain words.

The same list is printed when the application starts, by ``doctor``, and served by
``/api/health``; ``doctor`` alone asks endpoints whether they answer.
"""

import importlib.metadata
import platform
import shlex
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from selfrag.documents import ocr
from selfrag.errors import UserError
from selfrag.evaluation.answers.judge import JudgeChoice, judge_model
from selfrag.models.chat import probe
from selfrag.models.gguf import LocalModel
from selfrag.models.rerankers import Reranker, RerankerState, make_reranker
from selfrag.reflection.casting import Casting
from selfrag.reflection.options import RunOptions
from selfrag.reflection.shortfall import shortfall
from selfrag.reflection.story import NO_LANGUAGE_MODEL
from selfrag.settings import Settings, misspelt
from selfrag.storage import others_can_read
from selfrag.wording import count

if TYPE_CHECKING:
    from selfrag.service import SelfRag


class Verdict(StrEnum):
    """How a thing stands."""

    OK = "ok"
    MISSING = "missing"  #: not there and not needed
    PROBLEM = "problem"  #: needs the person


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the diagnosis; ``sentence`` says how it stands and what to do."""

    name: str
    verdict: Verdict
    sentence: str


def examine(rag: "SelfRag", *, ask_endpoints: bool = False) -> list[Check]:
    """The state of an open library.

    Args:
        ask_endpoints: whether to ask chat endpoints over the network (seconds).
    """
    return [
        *_surroundings(rag.settings),
        _index(rag),
        _embeddings(rag),
        _reranker(rag.reranker),
        *_language_models(rag.settings, rag.casting, ask_endpoints),
        *_budget(rag.settings),
        *_evaluation_judge(rag.settings, ask_endpoints),
        *_tracing(rag.settings),
        _ocr(),
    ]


def examine_closed(settings: Settings, why: str, *, ask_endpoints: bool = False) -> list[Check]:
    """What can be told where the library cannot be opened; ``why`` is the sentence for that."""
    checks = [*_surroundings(settings), Check("library", Verdict.PROBLEM, why)]
    try:
        reranker = make_reranker(settings.reranker_model, rerankers_folder(settings))
        casting = Casting(settings, lambda: None)
    except UserError as error:
        return [*checks, Check("models", Verdict.PROBLEM, str(error)), _ocr()]
    return [
        *checks,
        _reranker(reranker),
        *_language_models(settings, casting, ask_endpoints),
        *_budget(settings),
        *_evaluation_judge(settings, ask_endpoints),
        *_tracing(settings),
        _ocr(),
    ]


def endpoints(settings: Settings) -> list[Check]:
    """Whether the language models answer (seconds); nothing where none is configured."""
    casting = Casting(settings, lambda: None)
    try:
        return _language_models(settings, casting, True)[1:]
    finally:
        casting.close()


def _surroundings(settings: Settings) -> list[Check]:
    python = f"Python {platform.python_version()}, {versions()}"
    return [
        Check("python", Verdict.OK, python),
        Check("storage", Verdict.OK, f"documents, index and records are in {_storage(settings)}"),
        *_privacy(_storage(settings)),
        *(Check("settings", Verdict.PROBLEM, sentence) for sentence in misspelt()),
    ]


def _privacy(storage: Path) -> list[Check]:
    if not others_can_read(storage):
        return []
    return [
        Check(
            "privacy",
            Verdict.MISSING,
            f"other users of this machine can read the documents in {storage}: "
            f"`chmod 700 {shlex.quote(str(storage))}` keeps them to yourself",
        )
    ]


def versions() -> str:
    """The libraries that decide what an index holds and what an answer looks like."""
    names = ("streamlit", "langgraph", "qdrant-edge-py", "fastembed")
    return ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names)


def disagreements(rag: "SelfRag") -> list[str]:
    """Where manifest, index and files do not agree; empty where they do."""
    return rag.library.disagreements(busy=rag.jobs.busy)


def _storage(settings: Settings) -> Path:
    return settings.storage_dir.expanduser().resolve()


def rerankers_folder(settings: Settings) -> Path:
    """Where fetched cross-encoders are kept."""
    return _storage(settings) / "models" / "rerankers"


def _index(rag: "SelfRag") -> Check:
    children, _ = rag.index.count()
    where = rag.settings.qdrant_url or "this process (Qdrant's embedded engine)"
    server = rag.server_health()
    if server is not None:
        where = f"the Qdrant server {server.version} at {rag.settings.qdrant_url}"
    if server is not None and not server.compatible:
        return Check(
            "index",
            Verdict.PROBLEM,
            f"the Qdrant server at {rag.settings.qdrant_url} is version {server.version}, and this "
            f"client (version {server.client_version}) speaks with those of about the same "
            "version: update the server",
        )
    problems = disagreements(rag)
    if problems:
        return Check(
            "index",
            Verdict.PROBLEM,
            f"{'; '.join(problems[:3])}: run `python -m selfrag doctor --repair`",
        )
    return Check(
        "index",
        Verdict.OK,
        f"{count(len(rag.ready()), 'document')}, {count(children, 'chunk')}, in {where}",
    )


def _embeddings(rag: "SelfRag") -> Check:
    model = rag.embeddings
    known = ", ".join(sorted(model.languages)) if model.languages else "many languages"
    return Check(
        "embeddings", Verdict.OK, f"{model.name} ({model.dimension} dimensions, knows {known})"
    )


def _reranker(reranker: Reranker) -> Check:
    if reranker.state is RerankerState.READY:
        return Check("reranker", Verdict.OK, f"{reranker.name} is ready")
    return Check("reranker", Verdict.MISSING, f"not used: {reranker.reason}")


def _language_models(settings: Settings, casting: Casting, ask: bool) -> list[Check]:
    if not settings.llm_configured:
        return [
            Check(
                "language model",
                Verdict.MISSING,
                f"{NO_LANGUAGE_MODEL}. Set OPENAI_API_KEY, OPENROUTER_API_KEY, LLM_BASE_URL or "
                "LOCAL_MODEL for written answers",
            )
        ]
    where = settings.llm_endpoint or "OpenAI"
    if casting.local_model is not None:
        where = f"{casting.local_model.path} in this process"
    checks = [Check("language model", Verdict.OK, f"configured: {_parts(settings)}, at {where}")]
    if ask and casting.local_model is not None:
        checks.append(_local_model(casting.local_model))
    elif ask:
        for model in casting.chat_models:
            found = probe(model)
            verdict = Verdict.OK if found.ok else Verdict.PROBLEM
            checks.append(Check("endpoint", verdict, found.sentence))
    return checks


def _parts(settings: Settings) -> str:
    """``gpt-4.1 writes, gpt-4.1-mini judges``."""
    writer = settings.writer_model if settings.writes == "chat" else "sentences are quoted"
    judge = {
        "chat": settings.grading_model,
        "decisions": f"{settings.judge_model} (decisions)",
        "local": "the local judge",
    }[settings.judges]
    return f"{writer}{' writes' * (settings.writes == 'chat')}, {judge} judges"


def _budget(settings: Settings) -> list[Check]:
    """Nothing where it is large enough, or none is set."""
    lacking = shortfall(settings, RunOptions.of(settings))
    return [Check("budget", Verdict.PROBLEM, lacking.warning)] if lacking else []


def _evaluation_judge(settings: Settings, ask: bool) -> list[Check]:
    """Nothing where evaluations have no judge of their own, as by default."""
    if not (settings.evaluation_judge_model or settings.evaluation_judge_base_url):
        return []
    try:
        choice = JudgeChoice.of(settings)
        where = settings.evaluation_endpoint or "OpenAI"
        said = f"{choice.name} grades evaluations, at {where}"
        if choice.warning:
            return [Check("evaluation judge", Verdict.MISSING, choice.warning)]
        if not ask or choice.model is None:
            return [Check("evaluation judge", Verdict.OK, said)]
        model = judge_model(settings, choice.model)
    except UserError as error:
        return [Check("evaluation judge", Verdict.PROBLEM, str(error))]
    try:
        found = probe(model)
    finally:
        model.root_client.close()
    verdict = Verdict.OK if found.ok else Verdict.PROBLEM
    return [Check("evaluation judge", verdict, found.sentence)]


def _local_model(model: LocalModel) -> Check:
    """Load time, memory and speed of a model file."""
    try:
        loaded = model.load()
        speed = model.speed()
    except UserError as error:
        return Check("model file", Verdict.PROBLEM, str(error))
    return Check(
        "model file",
        Verdict.OK,
        f"loaded in {loaded.seconds:.1f} s, takes {loaded.memory_mb / 1000:.1f} GB of memory, "
        f"writes {speed:.1f} tokens a second",
    )


def _tracing(settings: Settings) -> list[Check]:
    """Nothing where it is off, as it is by default."""
    if not settings.langsmith_tracing:
        return []
    if settings.langsmith_api_key is None:
        return [
            Check(
                "tracing",
                Verdict.PROBLEM,
                "LANGSMITH_TRACING is on and LANGSMITH_API_KEY is not set: nothing is traced",
            )
        ]
    return [
        Check(
            "tracing",
            Verdict.OK,
            f"on: questions, prompts, passages and answers are sent to LangSmith at "
            f"{settings.langsmith_endpoint}, project {settings.langsmith_project}",
        )
    ]


def _ocr() -> Check:
    if ocr.available():
        return Check("text recognition", Verdict.OK, "tesseract is installed")
    return Check(
        "text recognition",
        Verdict.MISSING,
        "scanned pages cannot be read: install tesseract (Debian: tesseract-ocr) if you have any",
    )
