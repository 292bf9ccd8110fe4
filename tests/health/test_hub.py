"""The hub is looked for without waiting for it, and no secret is told."""

import threading

import pytest

from localspec.health import hub
from localspec.health.attempt import Attempt
from localspec.health.finding import Finding
from tests.models.hub_stub import serving

SECRET = "hf_abcdefghijklmnopqrstuvwxyz"


def looked() -> tuple[dict[str, object], list[Finding]]:
    facts, findings = hub.hub(hub.ask_hub())
    return facts["hub"], findings


def test_any_answer_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stub has no such page: a refusal comes from the hub too."""
    monkeypatch.setattr(hub, "_REACHED_S", 30.0)
    with serving() as stub:
        monkeypatch.setenv("HF_ENDPOINT", stub.url.replace("//", "//me:password9@"))
        facts, findings = looked()
    assert facts["reached"] is True
    assert facts["endpoint"] == stub.url.replace("//", "//***@")
    assert facts["from"] == "HF_ENDPOINT"
    assert findings == []


@pytest.mark.parametrize(("status", "words"), [(503, "status 503"), (407, "a name and a password")])
def test_a_fault_is_no_answer(monkeypatch: pytest.MonkeyPatch, status: int, words: str) -> None:
    """A proxy's 503 was taken for the hub."""
    monkeypatch.setattr(hub, "_REACHED_S", 30.0)
    with serving() as stub:
        stub.head_status = {"": status, "/": status}
        stub.files = {"": b"x", "/": b"x"}
        monkeypatch.setenv("HF_ENDPOINT", stub.url)
        facts, [finding] = looked()
    assert facts["reached"] is False
    assert words in finding.text


def test_nobody_there_is_a_hint_with_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "_REACHED_S", 30.0)
    facts, [finding] = looked()
    assert facts["reason"] == "nobody listens there (connection refused)"
    assert not finding.is_broken
    assert finding.command == "curl -sSI http://127.0.0.1:9"


def test_a_silent_hub_is_not_waited_for() -> None:
    """A name that resolves for minutes held the command."""
    never = threading.Event()
    try:
        facts, [finding] = hub.hub(Attempt(lambda: float(never.wait(60)), 0.05))
    finally:
        never.set()
    assert facts["hub"]["reason"] == "no answer within 0.05 s"
    assert "can't be reached" in finding.text


def test_offline_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert hub.ask_hub() is None
    facts, [finding] = looked()
    assert (facts["reached"], facts["reason"]) == (None, "HF_HUB_OFFLINE is set")
    assert finding.command.endswith("HF_HUB_OFFLINE") or "HF_HUB_OFFLINE=" in finding.command


@pytest.mark.parametrize("endpoint", ["file:///etc/passwd", "huggingface.co", "http://h:port"])
def test_what_is_no_address_is_not_opened(monkeypatch: pytest.MonkeyPatch, endpoint: str) -> None:
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    facts, [finding] = looked()
    assert facts["reached"] is False
    assert finding.is_broken
    assert "HF_ENDPOINT is no web address" in finding.text


def test_the_token_is_told_by_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_TOKEN", SECRET)
    monkeypatch.setenv("HTTPS_PROXY", "http://me:password9@proxy:1")
    facts, findings = looked()
    assert (facts["token"], facts["proxy"]) == ("HF_TOKEN", "HTTPS_PROXY")
    monkeypatch.setenv("HF_TOKEN", f"{SECRET}…")
    facts, more = looked()
    assert any("characters that no token has" in finding.text for finding in more)
    shown = repr((facts, findings, more))
    assert "abcdef" not in shown
    assert "password9" not in shown


def test_certificates_that_are_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/ca.pem")
    _, findings = looked()
    assert any("SSL_CERT_FILE names /nowhere/ca.pem" in finding.text for finding in findings)
