"""The hub's token and passwords in URLs: where they come from, and text without them.

Nothing here returns one, so nothing can print one.
"""

import os
import re
from collections.abc import Iterator
from urllib.parse import unquote

from localspec import paths

TOKEN_VARIABLES = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
PROXY_VARIABLES = (
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "ALL_PROXY",
    "all_proxy",
)
_URL_VARIABLES = (
    *PROXY_VARIABLES,
    "HF_ENDPOINT",
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_PROXY",
)
_HIDDEN = "***"
_TOKEN = re.compile(r"\bhf_(?:[a-z]+_)?[A-Za-z0-9.\-]{16,}")
_USER_INFO = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*://)[^\s/]+@")
_SHORTEST = 6
"""A shorter word is no token, and may stand in any sentence."""


def token_place() -> str:
    """The variable or the file that the hub's token comes from; empty when none is sent."""
    if os.environ.get("HF_HUB_DISABLE_IMPLICIT_TOKEN", "").upper() in ("1", "ON", "YES", "TRUE"):
        return ""
    for name in TOKEN_VARIABLES:
        if os.environ.get(name, "").strip():
            return name
    return str(paths.hub_token_file()) if _in_file() else ""


def token_can_be_sent() -> bool:
    """No header holds other characters; a token was copied with something else then."""
    token = _in_variable() or _in_file()
    return token.isascii() and token.isprintable()


def redacted(text: str) -> str:
    """The text without tokens, and without the user and password of any URL."""
    for secret in sorted(set(_secrets()), key=len, reverse=True):
        text = text.replace(secret, _HIDDEN)
    return _USER_INFO.sub(rf"\1{_HIDDEN}@", _TOKEN.sub(_HIDDEN, text))


def _secrets() -> Iterator[str]:
    for name in TOKEN_VARIABLES:
        yield from _long_enough(os.environ.get(name, "").strip())
    yield from _long_enough(_in_file())
    for name in _URL_VARIABLES:
        for url in os.environ.get(name, "").split():
            user_info = url.rpartition("://")[2].rpartition("@")[0]
            password = user_info.partition(":")[2]
            yield from _long_enough(user_info, password, unquote(password))


def _in_variable() -> str:
    values = (os.environ.get(name, "").strip() for name in TOKEN_VARIABLES)
    return next(filter(None, values), "")


def _long_enough(*words: str) -> Iterator[str]:
    return (word for word in words if len(word) >= _SHORTEST)


def _in_file() -> str:
    try:
        return paths.hub_token_file().read_text(encoding="utf-8", errors="replace").strip()
    except (OSError, ValueError, RuntimeError):
        return ""
