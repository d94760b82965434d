"""Structured replies from endpoints that support them, refuse them, ignore them or fail."""

from typing import Any

import pytest
from langchain_openai import ChatOpenAI

from selfrag.errors import ModelError
from selfrag.models.chat import make_chat_model
from selfrag.models.json_text import find_object
from selfrag.models.usage import UsageLedger
from selfrag.reflection import prompts
from selfrag.reflection.replies import Decision, Reply, SupportByClaim, Usefulness
from selfrag.reflection.structured import MAX_CALLS, Form, ask, known_form
from tests.support.llm_answers import Answer, empty, failure, refusal, structured, text
from tests.support.llm_server import LlmServer

YES = structured(thought="Look.", answer="yes")


@pytest.fixture
def model(llm_server: LlmServer) -> ChatOpenAI:
    return make_chat_model(model="scripted", base_url=llm_server.url, max_retries=0)


def decide(model: ChatOpenAI, ledger: UsageLedger | None = None) -> Decision:
    prompt = prompts.load("decide", question="How long is leave?")
    return ask(model, prompt, Decision, step="decision", ledger=ledger or UsageLedger())


@pytest.mark.parametrize(
    ("refused", "form"),
    [
        (set(), Form.JSON_SCHEMA),
        ({"json_schema"}, Form.FUNCTION_CALLING),
        ({"json_schema", "function_calling"}, Form.TEXT),
    ],
)
def test_every_form_gives_the_same_reply_and_is_remembered(
    llm_server: LlmServer, model: ChatOpenAI, refused: set[str], form: Form
) -> None:
    llm_server.refused_forms = refused
    llm_server.reply(YES)
    ledger = UsageLedger()

    assert decide(model, ledger) == Decision(thought="Look.", answer="yes")
    assert known_form(model) is form
    assert ledger.total().llm_calls == 1, "an endpoint's refusal of a form is no call of the model"

    before = len(llm_server.requests)
    decide(model)
    assert len(llm_server.requests) == before + 1, "the forms it refuses are not tried again"


def test_forms_are_remembered_by_model(llm_server: LlmServer, model: ChatOpenAI) -> None:
    llm_server.refused_forms = {"json_schema"}
    llm_server.reply(YES)
    decide(model)
    other = make_chat_model(model="another", base_url=llm_server.url)

    assert known_form(model) is Form.FUNCTION_CALLING
    assert known_form(other) is Form.JSON_SCHEMA


@pytest.mark.parametrize("status", [404, 500, 501])
def test_other_ways_to_refuse_a_form_are_understood(
    llm_server: LlmServer, model: ChatOpenAI, status: int
) -> None:
    llm_server.reply(YES)
    llm_server.reply(
        failure(status, "response_format json_schema: no grammar"),
        when=lambda request: request.form == "json_schema",
    )

    assert decide(model).answer == "yes"
    assert known_form(model) is Form.FUNCTION_CALLING


@pytest.mark.parametrize(
    "words",
    [
        '{"thought": "x", "answer": "yes"}',
        '```json\n{"thought": "x", "answer": "yes"}\n```',
        'Here you are:\n```\n{"thought": "x", "answer": "yes"}\n```\nAnything else?',
        'Sure! {"thought": "x", "answer": "yes"} I hope this helps.',
        '<think>{"answer": "no"}? Hmm.</think>\n{"thought": "x", "answer": "yes"}',
        '{"answer": "no"}, or rather</think>{"thought": "x", "answer": "YES."}',
        '{"thought": "x", "answer": true, "confidence": 0.9}',
        '{"thought": null, "answer": " Yes "}',
    ],
)
def test_reply_is_understood_without_a_repair(
    llm_server: LlmServer, model: ChatOpenAI, words: str
) -> None:
    llm_server.reply(text(words))

    assert decide(model).answer == "yes"
    assert len(llm_server.requests) == 1


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        (structured(thought="x", answer="maybe"), "answer: Input should be 'yes' or 'no'"),
        (structured(thought="x"), "answer: Field required"),
        (text("I would say yes."), "it is not JSON"),
        (text('{"thought": "x", "answer": "y'), "exactly one valid JSON object"),
        (text('The text says {"answer": "yes"}; I say {"answer": "no"}.'), "exactly one"),
        (empty(), "it is empty"),
        (text("[]"), "it is not JSON"),
    ],
)
def test_repair_shows_the_model_its_reply_and_the_error(
    llm_server: LlmServer, model: ChatOpenAI, bad: Answer, error: str
) -> None:
    llm_server.in_turn(bad, YES)

    assert decide(model).answer == "yes"
    first, second = llm_server.requests
    roles = [message["role"] for message in second.body["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert second.body["messages"][:2] == first.body["messages"]
    assert error in second.body["messages"][3]["content"]
    assert '"enum": ["yes", "no"]' in second.body["messages"][3]["content"]


def test_wrong_words_do_not_cost_the_endpoint_its_form(
    llm_server: LlmServer, model: ChatOpenAI
) -> None:
    llm_server.in_turn(structured(thought="x", answer="maybe"), YES)
    decide(model)

    assert known_form(model) is Form.JSON_SCHEMA


def test_endpoint_that_ignores_forms_ends_with_json_in_text(
    llm_server: LlmServer, model: ChatOpenAI
) -> None:
    def without_forms(request: Any) -> Answer:
        in_text = request.form is None
        return text('{"thought": "x", "answer": "no"}' if in_text else "I would say no.")

    llm_server.reply(without_forms)
    with pytest.raises(ModelError, match="usable form"):
        decide(model)

    assert known_form(model) is Form.TEXT
    assert decide(model).answer == "no"


@pytest.mark.parametrize("answer", [text("Prose."), empty(), structured(nonsense=1)])
def test_grade_takes_at_most_two_calls_whatever_comes_back(
    llm_server: LlmServer, model: ChatOpenAI, answer: Answer
) -> None:
    llm_server.reply(answer)
    ledger = UsageLedger()
    for count in range(1, 5):
        with pytest.raises(ModelError) as caught:
            decide(model, ledger)
        assert not caught.value.fatal
        assert ledger.total().llm_calls == len(llm_server.requests) == count * MAX_CALLS


def test_refusal_is_told_and_not_argued_with(llm_server: LlmServer, model: ChatOpenAI) -> None:
    llm_server.reply(refusal("That would be wrong."))

    with pytest.raises(ModelError, match=r"refused to grade this \(That would be wrong\.\)"):
        decide(model)
    assert len(llm_server.requests) == 1


def test_reply_cut_at_the_token_limit_is_told(llm_server: LlmServer, model: ChatOpenAI) -> None:
    llm_server.reply(text('{"thought": "so', finish="length"))
    ledger = UsageLedger()

    with pytest.raises(ModelError, match="cut off at its limit of tokens"):
        decide(model, ledger)
    assert ledger.total().output_tokens > 0, "what was cut off is paid for"


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (
            failure(401, "Incorrect API key provided: sk-abc"),
            "wants a key. Put it into OPENAI_API_KEY",
        ),
        (failure(404, "The model `x` does not exist", code="model_not_found"), "has no model"),
        (failure(400, "x is not a valid model ID"), "has no model scripted"),
        (failure(429, "You have no quota", code="insufficient_quota"), "no credit left"),
    ],
)
def test_fatal_errors_do_not_walk_the_ladder(
    llm_server: LlmServer, model: ChatOpenAI, answer: Answer, sentence: str
) -> None:
    llm_server.reply(answer)

    with pytest.raises(ModelError, match=sentence) as caught:
        decide(model)
    assert caught.value.fatal
    assert len(llm_server.requests) == 1
    assert known_form(model) is Form.JSON_SCHEMA


def test_bad_json_that_the_endpoint_itself_rejects_is_repaired(
    llm_server: LlmServer, model: ChatOpenAI
) -> None:
    rejected = failure(400, "Failed to validate JSON", code="json_validate_failed")
    llm_server.in_turn(rejected, YES)

    assert decide(model).answer == "yes"
    assert known_form(model) is Form.JSON_SCHEMA


@pytest.mark.parametrize("takes_bounds", [True, False])
def test_statements_that_were_left_out_are_asked_for_by_the_schema(
    llm_server: LlmServer, model: ChatOpenAI, takes_bounds: bool
) -> None:
    claim = {"claim": "x", "document": 1, "quote": "x", "support": "not_supported"}
    none, one = (structured(thought="x", declines=False, claims=each) for each in ([], [claim]))

    def least(request: Any) -> int:
        schema = request.body["response_format"]["json_schema"]["schema"]
        return int(schema["properties"]["claims"].get("minItems", 0))

    llm_server.in_turn(none, one)
    if not takes_bounds:
        llm_server.reply(failure(400, "minItems is not supported"), when=least)
    reply = ask(model, prompts.Prompt("s", "u"), SupportByClaim, step="s", ledger=UsageLedger())

    assert [each.claim for each in reply.claims] == ["x"]
    asked = [least(request) for request in llm_server.requests]
    assert asked == ([0, 1] if takes_bounds else [0, 1, 0])
    assert known_form(model) is Form.JSON_SCHEMA, "refusing bounds is not refusing the form"


def test_schema_is_strict_and_puts_the_thought_first(
    llm_server: LlmServer, model: ChatOpenAI
) -> None:
    claim = {"claim": "x", "document": 1, "quote": "x", "support": "not_supported"}
    llm_server.reply(structured(thought="x", declines=False, claims=[claim]))
    ask(model, prompts.Prompt("s", "u"), SupportByClaim, step="s", ledger=UsageLedger())

    sent = llm_server.requests[0].body["response_format"]["json_schema"]
    assert sent["strict"] is True
    assert list(sent["schema"]["properties"]) == ["thought", "declines", "claims"]
    _assert_strict(sent["schema"])


def _assert_strict(schema: Any) -> None:
    """Every object closed and all its fields required, as OpenAI's strict mode wants."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            assert schema["additionalProperties"] is False
            assert sorted(schema["required"]) == sorted(schema["properties"])
        for value in schema.values():
            _assert_strict(value)
    elif isinstance(schema, list):
        for value in schema:
            _assert_strict(value)


@pytest.mark.parametrize(
    ("schema", "value", "field", "expected"),
    [
        (Usefulness, {"thought": "", "score": "4", "missing": None}, "score", 4),
        (Usefulness, {"thought": "", "score": 4.0, "missing": ""}, "score", 4),
        (SupportByClaim, {"thought": "", "declines": True, "claims": []}, "claims", []),
    ],
)
def test_replies_are_read_leniently(
    schema: type[Reply], value: dict[str, Any], field: str, expected: Any
) -> None:
    assert getattr(schema.model_validate(value), field) == expected


@pytest.mark.parametrize("depth", [100, 2_000, 50_000])
def test_brackets_without_end_are_no_object(depth: int) -> None:
    assert find_object('{"claims": ' + "[" * depth) is None
    assert find_object('{"a":' * depth) is None


@pytest.mark.parametrize("depth", [100, 5_000])
def test_grade_of_brackets_without_end_is_told_as_unusable(
    llm_server: LlmServer, model: ChatOpenAI, depth: int
) -> None:
    llm_server.reply(text('{"thought": "x", "answer": ' + "[" * depth))
    with pytest.raises(ModelError, match="did not give its grade in a usable form, twice"):
        ask(model, prompts.Prompt("s", "u"), Decision, step="s", ledger=UsageLedger())


def test_two_objects_are_ambiguous_and_twice_the_same_is_not() -> None:
    assert find_object('{"a": 1} {"a": 2}') is None
    assert find_object('{"a": 1} {"a": 1}') == {"a": 1}
    assert find_object("no object } here {") is None
