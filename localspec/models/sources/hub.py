"""The Hugging Face hub, or a mirror of it: where a file is, and its bytes from any offset.

The library finds files, tokens, proxies and the cache; the bytes go through our own transfer, which
resumes. Its settings are read from the environment when it is first imported, here.
"""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from huggingface_hub import constants

from localspec.errors import DownloadFailed
from localspec.models.selection import Wanted
from localspec.models.sources import metadata
from localspec.models.sources.answers import TIMEOUT_S
from localspec.models.sources.endpoint import OTHER_MIRROR, file_url, from_elsewhere, host
from localspec.models.sources.hub_cache import SAFE_NAME, SHA256, HubCache
from localspec.models.sources.hub_errors import own_errors, unreachable
from localspec.models.sources.located import Located
from localspec.models.sources.ranges import FileStream
from localspec.models.sources.transfer import Interrupted, PartialFile, Transfer

# Else the library asks the hub once a day for a list of programs that may be using it, and waits
# for the answer before the request that was meant; what it sends of us is its version then.
constants.HF_HUB_DISABLE_TELEMETRY = True
MOST_BYTES = 2**50
"""Of a file: more is a server's mistake."""


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
            told = f"{host()} doesn't tell the size and hash of {wanted.file}."
            raise DownloadFailed(told, OTHER_MIRROR)
        # Both become names in the cache; a server must not choose where that is.
        if not (SAFE_NAME.fullmatch(found.etag) and SAFE_NAME.fullmatch(found.commit)):
            told = f"{host()} names {wanted.file} by something that is no hash."
            raise DownloadFailed(told, OTHER_MIRROR)
        if not 0 < found.size <= MOST_BYTES:
            told = f"{host()} says that {wanted.file} has {found.size} bytes."
            raise DownloadFailed(told, OTHER_MIRROR)
        return self._located(wanted, found.etag, found.commit, found.size, found.location)

    def refuse_offline(self, wanted: Wanted) -> None:
        """Raises DownloadFailed where the user forbade the network."""
        if constants.HF_HUB_OFFLINE:
            where = f"{wanted.file} is not in the hub's cache ({self.cache.root})"
            raise DownloadFailed(f"HF_HUB_OFFLINE is set, and {where}.", "Unset it to pull.")

    def fetch(self, located: Located) -> Iterator[tuple[int, bool]]:
        """Yields the file's bytes that are here, and whether the line is quiet."""
        # Of the very commit that was looked up: whoever follows a branch may find it moved.
        stream = FileStream(located.pinned(), located.bytes)
        label = located.wanted.file
        transfer = Transfer(PartialFile(located.partial), located.bytes, stream.open_at, label)
        for _ in transfer.watch():
            yield transfer.done, transfer.is_quiet

    def place(self, located: Located) -> Path:
        etag = self._etag(located)
        return self.cache.place(located.wanted, located.partial, etag, located.commit)

    def _located(self, wanted: Wanted, etag: str, commit: str, size: int, location: str) -> Located:
        published = etag if SHA256.fullmatch(etag) else None
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


def _refuse_other_file(wanted: Wanted, published: str | None, size: int) -> None:
    """A pinned revision can't change; if it seems to, something stands between us and the hub."""
    other_hash = published and wanted.sha256 and published != wanted.sha256
    if wanted.revision and (other_hash or wanted.bytes not in (None, size)):
        told = f"{host()} serves another {wanted.file} than belongs to this revision."
        raise DownloadFailed(told, OTHER_MIRROR)


def _notice(wanted: Wanted, published: str | None, location: str) -> str:
    if away := from_elsewhere(wanted, location):
        return away
    if published and wanted.sha256 and published != wanted.sha256:
        return f"{wanted.file} changed on the hub since the catalog was made; using the new one."
    if not (published or wanted.sha256):
        return f"Nobody tells the hash of {wanted.file}: only its size can be checked."
    return ""
