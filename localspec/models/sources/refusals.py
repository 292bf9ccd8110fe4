"""What the hub answers when it gives no file: each status has its sentence and its next step."""

import re
from typing import Any

from localspec.credentials import token_place
from localspec.errors import DownloadFailed, LocalspecError, NotOnHub, TooManyRequests
from localspec.models.selection import Wanted
from localspec.models.sources.endpoint import TOKENS_PAGE, host, page
from localspec.models.sources.transfer import Faltered, Interrupted

_SET_TOKEN = f"set HF_TOKEN to a token from {TOKENS_PAGE}"
_PASSING = frozenset({408, 425})
_DISABLED = "Access to this resource is disabled."
_WAIT = re.compile(r"\d{1,6}", re.ASCII)
_RESET = re.compile(r"\bt=(\d{1,6})\b", re.ASCII)


class ServerFault(Faltered):
    """The hub answered, but with a failure of its own."""


class NoSuchRange(DownloadFailed):
    """The file has fewer bytes than where the range begins."""


def refusal(wanted: Wanted, answer: Any) -> LocalspecError | Interrupted:
    """By the answer's status and headers; its body isn't read."""
    status = answer.status_code
    if status >= 500 or status in _PASSING:
        return ServerFault(f"it answered with status {status}")
    kinds = {404: NotOnHub, 416: NoSuchRange, 429: TooManyRequests}
    return kinds.get(status, DownloadFailed)(*_sentence(wanted, answer.headers, status))


def _sentence(wanted: Wanted, headers: Any, status: int) -> tuple[str, str]:
    """What is wrong, and what to do."""
    code, message = (headers.get(f"X-Error-{name}", "") for name in ("Code", "Message"))
    match status:
        case _ if code == "GatedRepo":
            return _gated(wanted, message)
        case _ if message == _DISABLED:
            return f"{host()} has disabled {wanted.repo}.", f"Look at {page(wanted.repo)}."
        case 401:
            return _unauthorised(wanted)
        case 403:
            return _forbidden(wanted)
        case 404:
            return _not_found(wanted, code)
        case 407:
            told = "The proxy wants a name and a password (status 407)."
            return told, "Write them into it: http://name:password@host:port."
        case 429:
            return _too_often(headers.get("Retry-After", ""), headers.get("RateLimit", ""))
        case 451:
            told = f"{host()} may not give out {wanted.repo} here, by law (status 451)."
            return told, "Choose another model."
    return f"{host()} refused {wanted.file} with status {status}.", f"Look at {page(wanted.repo)}."


def _gated(wanted: Wanted, message: str) -> tuple[str, str]:
    if "await" in message.lower():
        told = f"{wanted.repo} is gated, and its makers haven't answered your request yet."
        return told, f"See {page(wanted.repo)}."
    told = f"{wanted.repo} is gated: its licence must be accepted first."
    accept = f"Accept it at {page(wanted.repo)}"
    if token_place():
        return told, f"{accept} with the account of the token in {token_place()}."
    return told, f"{accept}, then {_SET_TOKEN}."


def _unauthorised(wanted: Wanted) -> tuple[str, str]:
    if place := token_place():
        told = f"{host()} doesn't accept the token in {place} (status 401)."
        new = f"It is wrong or has ended: make another at {TOKENS_PAGE}"
        return told, f"{new}, or unset it; most models need none."
    told = f"{host()} gives no access to {wanted.repo} without a token (status 401)."
    return told, f"It is private, or there is no such repository: check the name, or {_SET_TOKEN}."


def _forbidden(wanted: Wanted) -> tuple[str, str]:
    if place := token_place():
        told = f"The token in {place} may not read {wanted.repo} (status 403)."
        return told, f"Give it that permission at {TOKENS_PAGE}."
    told = f"{host()} forbids access to {wanted.repo} (status 403)."
    return told, f"Look at {page(wanted.repo)}; if it is private, {_SET_TOKEN}."


def _not_found(wanted: Wanted, code: str) -> tuple[str, str]:
    if code == "RepoNotFound":
        told = f"{host()} has no repository {wanted.repo} (status 404)."
        place = token_place()
        seen = f"the token in {place} must be let in" if place else _SET_TOKEN
        return told, f"Check the name; if it is private, {seen}."
    if code == "RevisionNotFound":
        revision = (wanted.revision or "main")[:12]
        told = f"{host()} has no revision {revision} of {wanted.repo} (any more, status 404)."
        return told, f"Look at {page(wanted.repo)}."
    revision = f" at {wanted.revision[:12]}" if wanted.revision else ""
    told = f"{host()} has no {wanted.file} in {wanted.repo}{revision} (any more, status 404)."
    return told, f"Look at {page(wanted.repo)}, or choose another --quant."


def _too_often(retry_after: str, rate_limit: str) -> tuple[str, str]:
    reset = _RESET.search(rate_limit)
    wait = retry_after if _WAIT.fullmatch(retry_after) else reset[1] if reset else ""
    when = f"in {wait} seconds" if wait else "in a few minutes"
    told = f"{host()} limits requests from here (status 429)."
    if token_place():
        return told, f"Try again {when}."
    return told, f"Try again {when}, or {_SET_TOKEN}: it may ask more often."
