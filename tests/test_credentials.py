"""Tokens and passwords leave every text; where the token comes from can be told."""

from pathlib import Path

import pytest

from localspec.credentials import redacted, token_can_be_sent, token_place

SECRET = "hf_abcdefghijklmnopqrstuvwxyz"


@pytest.fixture(autouse=True)
def no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_TOKEN_PATH", "HF_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)


def test_the_place_of_the_token(monkeypatch: pytest.MonkeyPatch, own_home: Path) -> None:
    """As the hub's library looks for it: variables, then its file."""
    assert token_place() == ""
    file = own_home / "huggingface" / "token"
    file.parent.mkdir()
    file.write_text(f"{SECRET}\n")
    assert token_place() == str(file)
    monkeypatch.setenv("HUGGING_FACE_HUB_TOKEN", SECRET)
    assert token_place() == "HUGGING_FACE_HUB_TOKEN"
    monkeypatch.setenv("HF_TOKEN", " ")
    assert token_place() == "HUGGING_FACE_HUB_TOKEN"
    monkeypatch.setenv("HF_TOKEN", SECRET)
    assert token_place() == "HF_TOKEN"
    assert token_can_be_sent()
    monkeypatch.setenv("HF_TOKEN", f"{SECRET}…")
    assert not token_can_be_sent()
    monkeypatch.setenv("HF_HUB_DISABLE_IMPLICIT_TOKEN", "1")
    assert token_place() == ""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"Bearer {SECRET}", "Bearer ***"),
        ("hf_oauth_eyJhbGciOiJFZERTQSJ9.eyJzdWIi said", "*** said"),
        ("http://me:pw@host:80/x?a=b@c", "http://***@host:80/x?a=b@c"),
        ("http://me:p@ss@host/", "http://***@host/"),
        ("in hf_hub_url and hf_raise_for_status", "in hf_hub_url and hf_raise_for_status"),
        ("mail me@host or git@github.com:x", "mail me@host or git@github.com:x"),
        ("https://huggingface.co/a/b@main", "https://huggingface.co/a/b@main"),
    ],
)
def test_what_looks_like_a_secret_is_hidden(text: str, shown: str) -> None:
    assert redacted(text) == shown


def test_what_is_known_to_be_a_secret_is_hidden(
    monkeypatch: pytest.MonkeyPatch, own_home: Path
) -> None:
    """A token need not look like one, and a password may stand alone."""
    monkeypatch.setenv("HF_TOKEN", "correct horse")
    monkeypatch.setenv("HTTPS_PROXY", "http://me:pass%40word@proxy:3128")
    (own_home / "huggingface").mkdir()
    (own_home / "huggingface" / "token").write_text("from-a-file")
    told = "correct horse, pass%40word, pass@word, from-a-file, proxy:3128"
    assert redacted(told) == "***, ***, ***, ***, proxy:3128"
