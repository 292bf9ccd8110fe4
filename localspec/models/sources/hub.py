"""The Hugging Face hub, or a mirror of it: where a file is, and its bytes from any offset.

The library finds files, tokens, proxies and the cache; the bytes go through our own transfer, which
resumes. Its settings are read from the environment when it is first imported, here.
"""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import huggingface_hub
from huggingface_hub import constants
from huggingface_hub.utils import (  # type: ignore[attr-defined]
    build_hf_headers,
    hf_raise_for_status,
)

from localspec.errors import DownloadFailed
from localspec.models.selection import Wanted
from localspec.models.sources import metadata
from localspec.models.sources.hub_cache import HubCache
from localspec.models.sources.hub_errors import DEFAULT_ENDPOINT, host, own_errors, unreachable
from localspec.models.sources.located import Located
from localspec.models.sources.transfer import Interrupted, OpenStream, Transfer

TIMEOUT_S = 10
# Else the library asks the hub once a day for a list of programs that may be using it, and waits
# for the answer before the request that was meant; what it sends of us is its version then.
constants.HF_HUB_DISABLE_TELEMETRY = True
_HASH = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"\w[\w.-]{0,127}", re.ASCII)


class HubSource:
    name: Literal["hub"] = "hub"

    def __init__(self) -> None:
        # Its warnings would be written over a screen.
        logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
        # Version 1.0 doesn't know it.
        links = not getattr(constants, "HF_HUB_DISABLE_SYMLINKS", False)
        self.cache = HubCache(Path(constants.HF_HUB_CACHE), links)

    def locate(self, wanted: Wanted) -> Located:
        """Asks the hub. Raises SourceUnreachable, or DownloadFailed for any refusal."""
        self.refuse_offline(wanted)
        try:
            with own_errors(wanted):
                found = metadata.ask(file_url(wanted), TIMEOUT_S)
        except Interrupted as error:
            raise unreachable(error) from None
        if not (found.etag and found.commit and found.size):
            raise DownloadFailed(f"{host()} doesn't tell the size and hash of {wanted.file}.")
        # Both become names in the cache; a server must not choose where that is.
        if not (_NAME.fullmatch(found.etag) and _NAME.fullmatch(found.commit)):
            raise DownloadFailed(f"{host()} names {wanted.file} by something that is no hash.")
        return self._located(wanted, found.etag, found.commit, found.size, found.location)

    def refuse_offline(self, wanted: Wanted) -> None:
        """Raises DownloadFailed where the user forbade the network."""
        if constants.HF_HUB_OFFLINE:
            where = f"{wanted.file} is not in the hub's cache ({self.cache.root})"
            raise DownloadFailed(f"HF_HUB_OFFLINE is set, and {where}.", "Unset it to pull.")

    def fetch(self, located: Located) -> Iterator[tuple[int, bool]]:
        """Yields the file's bytes that are here, and whether the line is quiet."""
        transfer = Transfer(
            located.partial, located.bytes, self._opener(located), located.wanted.file
        )
        for _ in transfer.watch():
            yield transfer.done, transfer.is_quiet

    def _opener(self, located: Located) -> OpenStream:
        @contextmanager
        def open_at(offset: int) -> Iterator[tuple[int, Iterator[bytes]]]:
            with own_errors(located.wanted), get(file_url(located.wanted), offset) as response:
                hf_raise_for_status(response)
                yield offset if response.status_code == 206 else 0, response.iter_raw()

        return open_at

    def place(self, located: Located) -> Path:
        etag = self._etag(located)
        return self.cache.place(located.wanted, located.partial, etag, located.commit)

    def _located(self, wanted: Wanted, etag: str, commit: str, size: int, location: str) -> Located:
        published = etag if _HASH.fullmatch(etag) else None
        _refuse_other_file(wanted, published, size)
        return Located(
            wanted=wanted,
            bytes=size,
            sha256=published or wanted.sha256,
            path=self.cache.snapshot(wanted, commit),
            partial=self.cache.partial(wanted, etag),
            lock=self.cache.lock(wanted, etag),
            notice=_notice(wanted, published, location),
            commit=commit,
        )

    @staticmethod
    def _etag(located: Located) -> str:
        return located.partial.name.removesuffix(".incomplete")


def file_url(wanted: Wanted) -> str:
    return huggingface_hub.hf_hub_url(wanted.repo, wanted.file, revision=wanted.revision)


@contextmanager
def get(url: str, start: int = 0, stop: int | None = None) -> Iterator[Any]:
    """The answer, whose bytes from `start` to before `stop` were asked for; read it piecemeal."""
    headers = build_hf_headers() | {"Accept-Encoding": "identity"}
    if start or stop is not None:
        headers["Range"] = f"bytes={start}-{'' if stop is None else stop - 1}"
    session = huggingface_hub.get_session()
    with session.stream(
        "GET", url, headers=headers, follow_redirects=True, timeout=TIMEOUT_S
    ) as response:
        yield response


def _refuse_other_file(wanted: Wanted, published: str | None, size: int) -> None:
    """A pinned revision can't change; if it seems to, something stands between us and the hub."""
    other_hash = published and wanted.sha256 and published != wanted.sha256
    if wanted.revision and (other_hash or wanted.bytes not in (None, size)):
        raise DownloadFailed(
            f"{host()} serves another {wanted.file} than belongs to this revision."
        )


def from_elsewhere(wanted: Wanted, location: str) -> str:
    """Whose bytes they are, where a mirror is set and another host sends them; else empty."""
    mirror, other = urlsplit(constants.ENDPOINT).hostname, urlsplit(location).hostname
    if constants.ENDPOINT != DEFAULT_ENDPOINT and other and other != mirror:
        return f"{host()} sends the bytes of {wanted.file} from {other}."
    return ""


def _notice(wanted: Wanted, published: str | None, location: str) -> str:
    if away := from_elsewhere(wanted, location):
        return away
    if published and wanted.sha256 and published != wanted.sha256:
        return f"{wanted.file} changed on the hub since the catalog was made; using the new one."
    if not (published or wanted.sha256):
        return f"Nobody tells the hash of {wanted.file}: only its size can be checked."
    return ""
