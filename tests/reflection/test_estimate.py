"""What a question is said to cost, against what it cost."""

from pathlib import Path

import pytest

from selfrag.models.prices import LIST_PRICES, Price
from selfrag.reflection.estimate import estimate
from selfrag.reflection.options import RunOptions
from selfrag.settings import Settings
from tests.conftest import plain_settings
from tests.support.llm_server import LlmServer
from tests.support.pdf_factory import make_pdf

TIDES = "The harbour of Saint Malo has a tidal range of thirteen metres. Ships wait for the flood. "
QUESTION = "What is the tidal range of Saint Malo?"
PRICES = {"scripted": Price(1.0, 10.0)}


def settings(**values) -> Settings:
    return Settings(_env_file=None, **{**plain_settings(), **values})


def with_model(**values) -> Settings:
    return settings(llm_base_url="http://127.0.0.1:1/v1", chat_model="scripted", **values)


def of(values: Settings, **options):
    return estimate(values, RunOptions.of(values, **options), PRICES)


@pytest.mark.parametrize("strategy", ["plain", "critique", "selfrag"])
def test_estimate_is_near_what_a_straight_run_costs(
    strategy: str, llm_server: LlmServer, open_rag, tmp_path: Path
):
    given = {"llm_base_url": llm_server.url, "chat_model": "scripted"}
    rag = open_rag(**given, model_prices={"scripted": (1.0, 10.0)})
    list(rag.ingest([make_pdf(tmp_path / "a.pdf", [TIDES * 14] * 4)]))
    run = rag.start(QUESTION, strategy=strategy)
    used = run.result(60).usage
    started = run.log.snapshot()[0]
    said = estimate(
        rag.settings, RunOptions.of(rag.settings, strategy=strategy), rag.casting.prices
    )
    assert used is not None
    assert said.calls == used.llm_calls
    assert said.most_calls == started.max_llm_calls
    tokens = used.input_tokens + used.output_tokens
    assert tokens / 2 < said.tokens < tokens * 2
    assert said.usd is not None
    assert said.usd > 0


def test_nothing_is_asked_where_everything_is_local():
    said = of(settings())
    assert (said.calls, said.tokens, said.usd, said.most_calls) == (0, 0, 0, 0)


def test_each_choice_changes_what_it_costs():
    base = of(with_model())
    assert of(with_model(), k=8).calls == base.calls + 4
    assert of(with_model(), k=8).tokens > base.tokens
    assert of(with_model(), strategy="plain").calls == 1
    assert of(with_model(), max_retries=0).most_calls < base.most_calls
    assert of(with_model(), max_retries=0).calls == base.calls
    assert of(with_model(), retrieval="always").calls == base.calls - 1
    assert of(with_model(judge="local")).calls == 1
    together = of(with_model(grade_in_one_request=True))
    assert (together.calls, together.tokens < base.tokens) == (base.calls - 3, True)


def test_money_is_unknown_where_a_price_is():
    unpriced = with_model(judge_model="other")
    assert of(unpriced).usd is None
    assert of(with_model(judge="decisions", judge_model="d")).usd is None
    known = with_model().model_copy(update={"chat_model": "gpt-4.1-mini"})
    said = estimate(known, RunOptions.of(known), LIST_PRICES)
    assert said.usd == pytest.approx(said.tokens * 0.4e-6, rel=1.0)
    assert said.usd > said.tokens * 0.4e-6
