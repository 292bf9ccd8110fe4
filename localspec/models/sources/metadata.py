"""What the hub tells of a file without its bytes: commit, size, hash, and where those come from.

The library's own question tries again behind our back in some versions, for as long as a busy hub
asks it to wait; so it is put here, once.
"""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

import huggingface_hub
from huggingface_hub.utils import (  # type: ignore[attr-defined]
    build_hf_headers,
    hf_raise_for_status,
)

_MOST_REDIRECTS = 5


@dataclass(frozen=True, slots=True)
class Metadata:
    """Empty texts and 0 for what isn't told."""

    commit: str
    etag: str
    size: int
    location: str
    """Where the bytes are."""


def ask(url: str, timeout_s: float) -> Metadata:
    """Raises what `own_errors` puts in words."""
    headers = build_hf_headers() | {"Accept-Encoding": "identity"}
    session = huggingface_hub.get_session()
    for _ in range(_MOST_REDIRECTS):
        answer = session.request(
            "HEAD", url, headers=headers, follow_redirects=False, timeout=timeout_s
        )
        hf_raise_for_status(answer)
        target = urljoin(url, answer.headers.get("Location", ""))
        # Where another host has the bytes, this answer tells of them, and the token stays here.
        if not answer.is_redirect or not _same_host(url, target):
            break
        url = target
    return _read(answer, target)


def _same_host(url: str, target: str) -> bool:
    return urlsplit(url)[:2] == urlsplit(target)[:2]


def _read(answer: Any, location: str) -> Metadata:
    own = "" if answer.is_redirect else answer.headers.get("Content-Length", "")
    size = answer.headers.get("X-Linked-Size", own)
    etag = answer.headers.get("X-Linked-Etag") or answer.headers.get("ETag", "")
    return Metadata(
        commit=answer.headers.get("X-Repo-Commit", ""),
        etag=etag.removeprefix("W/").strip('"'),
        size=int(size) if size.isdecimal() and size.isascii() and len(size) < 20 else 0,
        location=location,
    )
