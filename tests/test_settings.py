"""Settings: bounds, sentences, secrets, and the files generated from them."""

from pathlib import Path

import pytest

from selfrag.errors import UserError
from selfrag.settings import Settings, env_example, load_settings, markdown_table

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)


def test_defaults_need_nothing():
    settings = load_settings()
    assert not settings.llm_configured
    assert (settings.chunk_size, settings.chunk_overlap, settings.parent_chunk_size) == (
        600,
        150,
        1200,
    )


@pytest.mark.parametrize(
    ("variable", "value", "allowed"),
    [
        ("MAX_RETRIES", "11", "0 to 10"),
        ("LLM_TEMPERATURE", "hot", "0 to 2"),
        ("RETRIEVAL_K_INITIAL", "0", "1 to 100"),
        ("LLM_BASE_URL", "localhost:11434", "http://"),
        ("DATA_DIR", "nowhere-at-all", "a folder that exists"),
        ("QDRANT_COLLECTION", "a/b", "letters, digits"),
        ("FUSION", "average", "convex or rrf"),
    ],
)
def test_wrong_value_names_variable_value_and_what_is_allowed(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, allowed: str
):
    monkeypatch.setenv(variable, value)
    with pytest.raises(UserError) as error:
        load_settings()
    text = str(error.value)
    assert variable in text
    assert value in text
    assert allowed in text


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"CHUNK_OVERLAP": "600"}, ("CHUNK_OVERLAP=600", "CHUNK_SIZE")),
        ({"PARENT_CHUNK_SIZE": "599"}, ("CHUNK_SIZE=600", "PARENT_CHUNK_SIZE")),
        ({"RETRIEVAL_K_RERANK": "16"}, ("RETRIEVAL_K_RERANK=16", "RETRIEVAL_K_MMR")),
        ({"RETRIEVAL_K_MMR": "21"}, ("RETRIEVAL_K_MMR=21", "RETRIEVAL_K_INITIAL")),
        ({"QDRANT_COLLECTION": "x", "QDRANT_PARENT_COLLECTION": "x"}, ("two different names",)),
    ],
)
def test_values_that_do_not_fit_together_are_refused(
    monkeypatch: pytest.MonkeyPatch, values: dict[str, str], named: tuple[str, ...]
):
    for variable, value in values.items():
        monkeypatch.setenv(variable, value)
    with pytest.raises(UserError) as error:
        load_settings()
    assert all(part in str(error.value) for part in named)


def test_values_come_from_dotenv_and_empty_ones_count_as_unset(tmp_path: Path):
    (tmp_path / ".env").write_text("MAX_RETRIES=1\nOPENAI_API_KEY=\n", encoding="utf-8")
    settings = load_settings()
    assert settings.max_retries == 1
    assert not settings.llm_configured


def test_keys_choose_endpoint_and_model(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENROUTER_API_KEY", "router-key")
    settings = load_settings()
    assert settings.llm_endpoint == "https://openrouter.ai/api/v1"
    assert settings.llm_key == "router-key"
    assert settings.writer_model == settings.grading_model == "openai/gpt-4.1-mini"
    monkeypatch.setenv("OPENAI_API_KEY", "openai-key")
    settings = load_settings()
    assert settings.llm_endpoint is None
    assert settings.llm_key == "openai-key"
    assert settings.writer_model == "gpt-4.1-mini"
    monkeypatch.setenv("LLM_BASE_URL", "http://localhost:11434/v1")
    monkeypatch.setenv("JUDGE_MODEL", "other")
    settings = load_settings()
    assert settings.llm_endpoint == "http://localhost:11434/v1"
    assert settings.grading_model == "other"


def test_secrets_do_not_show_in_text(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    assert "sk-very-secret" not in repr(load_settings())


def test_env_example_and_readme_are_generated_from_the_settings():
    assert (ROOT / ".env.example").read_text(encoding="utf-8") == env_example()
    assert markdown_table() in (ROOT / "README.md").read_text(encoding="utf-8")
