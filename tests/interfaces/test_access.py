"""Who may use REST, and how often."""

from collections.abc import Callable

import httpx
import pytest

from selfrag.interfaces.access.clients import MOST_CLIENTS, Limits, client_of
from selfrag.interfaces.access.hosts import is_allowed
from selfrag.service import SelfRag
from tests.interfaces.conftest import QUESTION

Serve = Callable[..., tuple[SelfRag, httpx.Client]]
SEARCH = "/api/search?q=patent"


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("localhost:8501", True),
        ("127.0.0.1:8501", True),
        ("[::1]:8501", True),
        ("192.168.1.20:8501", True),
        ("LOCALHOST", True),
        ("rag.example.com", True),
        ("rag.example.com:443", True),
        ("a.inside.example.org", True),
        ("inside.example.org", False),
        ("evil.example.com", False),
        ("evil.com:8501", False),
        ("127.0.0.1.evil.com", False),
        ("localhost.evil.com", False),
        ("evil.com:8501:localhost", False),
        ("", False),
    ],
)
def test_only_names_that_somebody_vouched_for_are_answered_to(host: str, allowed: bool):
    assert is_allowed(host, ("rag.example.com", "*.inside.example.org")) is allowed


def test_other_names_are_refused_and_say_what_to_do(serve: Serve):
    _, api = serve(allowed_hosts=("rag.example.com",))
    refused = api.get("/api/documents", headers={"Host": "evil.com"})
    assert (refused.status_code, "ALLOWED_HOSTS" in refused.text) == (421, True)
    assert api.get("/api/documents", headers={"Host": "rag.example.com"}).status_code == 200


def test_pages_of_other_sites_may_not_use_it(serve: Serve):
    _, api = serve()
    evil = {"Origin": "https://evil.com"}
    files = {"file": ("x.pdf", b"%PDF")}
    assert api.post("/api/documents", files=files, headers=evil).status_code == 403
    assert api.get("/api/answer?question=x", headers={"Origin": "null"}).status_code == 403
    image = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert api.get("/api/answer?question=x", headers=image).status_code == 403
    own = {"Origin": str(api.base_url).rstrip("/")}
    assert api.get("/api/documents", headers=own).status_code == 200
    assert "access-control-allow-origin" not in api.get("/api/health", headers=evil).headers


def test_origin_that_is_named_may_use_it(serve: Serve):
    _, api = serve(cors_origins=("https://app.example.com",), api_token="secret")
    origin = {"Origin": "https://app.example.com"}
    asks = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization",
    }
    preflight = api.options("/api/answer", headers={**origin, **asks})
    assert preflight.status_code == 200
    assert preflight.headers["access-control-allow-origin"] == "https://app.example.com"
    answer = api.get("/api/documents", headers={**origin, "Authorization": "Bearer secret"})
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == "https://app.example.com"
    assert api.get("/api/documents", headers={"Origin": "https://evil.com"}).status_code == 403


def test_token_is_asked_for_everywhere_but_at_health(serve: Serve):
    _, api = serve(api_token="right")
    paths = ("/api/documents", SEARCH, "/api/answer?question=x", "/api/runs/x", "/api/nothing")
    for path in paths:
        for given in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic right"}):
            refused = api.get(path, headers=given)
            assert refused.status_code == 401
            assert refused.headers["www-authenticate"] == "Bearer"
    assert api.delete("/api/documents/x").status_code == 401
    right = {"Authorization": "Bearer right"}
    assert api.get("/api/documents", headers=right).status_code == 200
    assert api.get("/api/docs").status_code == 200
    stranger, friend = api.get("/api/health"), api.get("/api/health", headers=right)
    assert (stranger.status_code, stranger.json()["checks"]) == (200, [])
    assert friend.json()["checks"]


def test_searches_and_answers_are_limited_apart(serve: Serve):
    _, api = serve(searches_per_minute=3, answers_per_minute=1)
    assert [api.get(SEARCH).status_code for _ in range(4)] == [200, 200, 200, 429]
    answers = [api.get("/api/answer", params={"question": QUESTION}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 429]
    wait = int(answers[1].headers["retry-after"])
    assert 50 <= wait <= 61
    assert "ANSWERS_PER_MINUTE" in answers[1].json()["detail"]
    assert api.get("/api/documents").status_code == 200


def test_client_cannot_pass_for_others_without_a_proxy(serve: Serve):
    _, api = serve(searches_per_minute=2)
    codes = [
        api.get(SEARCH, headers={"X-Forwarded-For": f"9.9.9.{number}"}).status_code
        for number in range(3)
    ]
    assert codes == [200, 200, 429]


def test_client_behind_a_proxy_is_the_entry_that_the_proxy_wrote(serve: Serve):
    _, api = serve(searches_per_minute=1, trusted_proxies=1)

    def search(forwarded: str) -> int:
        return api.get(SEARCH, headers={"X-Forwarded-For": forwarded}).status_code

    assert [search("8.8.8.8"), search("1.1.1.1, 8.8.8.8"), search("2.2.2.2,8.8.8.8")] == [
        200,
        429,
        429,
    ]
    assert search("8.8.8.8, 1.1.1.1") == 200


@pytest.mark.parametrize(
    ("forwarded", "proxies", "peer", "client"),
    [
        (None, 0, ("10.0.0.5", 4711), "10.0.0.5"),
        ("1.2.3.4", 0, ("10.0.0.5", 4711), "10.0.0.5"),
        ("1.2.3.4", 0, ("1.2.3.4", 0), "127.0.0.1"),
        ("6.6.6.6, 1.2.3.4", 1, ("10.0.0.5", 4711), "1.2.3.4"),
        ("6.6.6.6, 1.2.3.4, 10.0.0.9", 2, ("10.0.0.5", 4711), "1.2.3.4"),
        ("1.2.3.4", 2, ("10.0.0.5", 4711), "10.0.0.5"),
        ("2001:db8:1:2:aaaa::1", 1, ("10.0.0.5", 4711), "2001:db8:1:2::/64"),
        ("::ffff:1.2.3.4", 1, ("10.0.0.5", 4711), "1.2.3.4"),
    ],
)
def test_clients_are_counted_from_the_right(
    forwarded: str | None, proxies: int, peer: tuple[str, int], client: str
):
    headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded else []
    scope = {"type": "http", "headers": headers, "client": peer}
    assert client_of(scope, proxies) == client


def test_window_slides_and_what_is_remembered_is_bounded():
    now = 0.0
    limits = Limits(lambda: now)
    assert [limits.take("searches", "a", 2) for _ in range(3)] == [0, 0, 60]
    now = 45.0
    assert limits.take("searches", "a", 2) == 15
    assert limits.take("searches", "b", 2) == 0
    now = 60.0
    assert limits.take("searches", "a", 2) == 0
    assert limits.take("searches", "a", 0) == 0
    for number in range(MOST_CLIENTS + 10):
        limits.take("searches", str(number), 2)
    assert len(limits._times) == MOST_CLIENTS
