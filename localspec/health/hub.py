"""The hub: can it be reached, through what, with whose token."""

import os
import socket
import ssl
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from localspec import credentials
from localspec.credentials import PROXY_VARIABLES, redacted, token_place
from localspec.health.attempt import Attempt, NoAnswer
from localspec.health.finding import Facts, Finding, quoted, unset

DEFAULT_ENDPOINT = "https://huggingface.co"
_REACHED_S = 0.6
_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
_CERTIFICATES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT")
_YES = ("1", "ON", "YES", "TRUE")


def ask_hub() -> Attempt[float] | None:
    """Seconds to an answer, asked while others are looked at; None where asking is forbidden."""
    if _offline_variable():
        return None
    return Attempt(_answer_s, _REACHED_S)


def hub(answer: Attempt[float] | None) -> tuple[Facts, list[Finding]]:
    endpoint = _endpoint()
    facts: dict[str, Any] = {
        "endpoint": redacted(endpoint),
        "from": "HF_ENDPOINT" if endpoint != DEFAULT_ENDPOINT else None,
        "proxy": next((name for name in PROXY_VARIABLES if os.environ.get(name)), None),
        "token": token_place() or None,
    }
    reached, findings = _reached(answer, endpoint)
    return {"hub": facts | reached}, [*_settings(endpoint), *_token(), *findings]


def _reached(answer: Attempt[float] | None, endpoint: str) -> tuple[Facts, list[Finding]]:
    if answer is None:
        return {"reached": None, "seconds": None, "reason": f"{_offline_variable()} is set"}, []
    try:
        return {"reached": True, "seconds": answer.result(), "reason": ""}, []
    except NoAnswer:
        reason = f"no answer within {answer.seconds} s"
    except Exception as error:
        reason = _words(error)
    facts = {"reached": False, "seconds": None, "reason": reason}
    if not _is_address(endpoint):
        return facts, []
    told = f"The hub can't be reached: {reason}. What is on this disk works without it."
    return facts, [Finding(told, quoted("curl", "-sSI", redacted(endpoint)))]


def _settings(endpoint: str) -> list[Finding]:
    findings = []
    if name := _offline_variable():
        findings.append(Finding(f"{name} is set, so nothing can be pulled.", unset(name)))
    if not _is_address(endpoint):
        told = f"HF_ENDPOINT is no web address: {redacted(endpoint)}."
        findings.append(Finding(told, unset("HF_ENDPOINT"), is_broken=True))
    for name in _CERTIFICATES:
        file = os.environ.get(name)
        if file and not Path(file).exists():
            told = f"{name} names {file}, which does not exist."
            findings.append(Finding(told, unset(name), is_broken=True))
    return findings


def _token() -> list[Finding]:
    place = token_place()
    if not credentials.token_can_be_sent():
        told = f"The token in {place or 'HF_TOKEN'} holds characters that no token has."
        return [Finding(told, unset(place) if place.isupper() else "hf auth login", is_broken=True)]
    return []


def _answer_s() -> float:
    """Any answer but a proxy's or a fault, also a refusal, shows that the hub is there."""
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    if not _is_address(_endpoint()):
        raise OSError("HF_ENDPOINT is no web address")
    started = time.monotonic()
    # Without user and password: this question needs none, and urllib can't read them there.
    address = urlsplit(_endpoint())
    bare = address._replace(netloc=address.netloc.rpartition("@")[2]).geturl()
    try:
        with urlopen(Request(bare, method="HEAD"), timeout=_REACHED_S):
            pass
    except HTTPError as error:
        error.close()
        if error.code == 407:
            raise OSError("the proxy wants a name and a password (status 407)") from None
        if error.code >= 500:
            raise OSError(f"the answer is a fault (status {error.code})") from None
    except HTTPException as error:
        raise OSError(f"a strange answer ({type(error).__name__})") from None
    return round(time.monotonic() - started, 3)


def _words(error: BaseException) -> str:
    cause = getattr(error, "reason", error)
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its certificate isn't trusted here ({cause.verify_message})"
    if isinstance(cause, socket.gaierror):
        return "a host's name can't be looked up (DNS)"
    if isinstance(cause, ConnectionRefusedError):
        return "nobody listens there (connection refused)"
    if isinstance(cause, TimeoutError):
        return f"no answer within {_REACHED_S} s"
    return redacted(str(cause)).rstrip(".")[:200] or type(cause).__name__


def _endpoint() -> str:
    return (os.environ.get("HF_ENDPOINT") or DEFAULT_ENDPOINT).rstrip("/")


def _is_address(endpoint: str) -> bool:
    try:
        parts = urlsplit(endpoint)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _offline_variable() -> str:
    return next((name for name in _OFFLINE if os.environ.get(name, "").upper() in _YES), "")
