"""A model's facts before its download: the headers of all its files, a few megabytes each.

What is on this disk is read there, what was read before is kept; only the rest is asked for.
"""

from collections.abc import Generator, Sequence
from io import BytesIO
from pathlib import Path

from localspec.errors import BrokenModelFile
from localspec.models import head_store
from localspec.models.events import Event, Meter, Notice
from localspec.models.gguf_cursor import HEADER_LIMIT
from localspec.models.gguf_header import GgufHeader, parse_header, read_header
from localspec.models.locating import locate
from localspec.models.model_file import ModelFacts, model_of
from localspec.models.presence import candidates
from localspec.models.selection import Wanted
from localspec.models.sources.hub import HubSource
from localspec.models.sources.ranges import FileStream
from localspec.models.sources.transfer import InMemory, Transfer

_FIRST = 8 * 2**20
"""Holds most vocabularies; Gemma's take 16 MiB."""
_FIRST_OF_LATER_PART = 2**20
"""Later parts name only their tensors."""
_ANOTHER = "Choose another file."


class _MoreNeeded(Exception):
    """The header goes on behind the bytes that are here."""


class _Head(BytesIO):
    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        if not data:
            raise _MoreNeeded
        return data


def remote_model(files: Sequence[Wanted], hub: HubSource) -> Generator[Event, None, ModelFacts]:
    """`files` are all parts of one model, in order. Closing it stops what is under way.

    Raises BrokenModelFile where they are no language model, SourceUnreachable or DownloadFailed
    where the hub doesn't give them.
    """
    headers = []
    for number, wanted in enumerate(files):
        first = _FIRST_OF_LATER_PART if number else _FIRST
        headers.append((yield from remote_header(wanted, hub, first)))
    try:
        return model_of(headers)
    except BrokenModelFile as error:
        raise BrokenModelFile(error.message, _ANOTHER) from None


def remote_header(
    wanted: Wanted, hub: HubSource, first: int = _FIRST
) -> Generator[Event, None, GgufHeader]:
    """The header of one file; `first` bytes are asked for, and more while it goes on."""
    for candidate in candidates(wanted, hub.cache):
        try:
            return read_header(candidate.path)
        except BrokenModelFile:
            # A pull would fetch it anew.
            continue
    if wanted.bytes is None or wanted.revision is None:
        located = yield from locate(wanted, hub)
        wanted = located.pinned()
    size = wanted.bytes or 0
    header = _kept(wanted, size)
    if header is None:
        header = yield from _fetched(wanted, size, hub, first)
    return header


def _kept(wanted: Wanted, size: int) -> GgufHeader | None:
    data = head_store.load_head(wanted)
    if data is None:
        return None
    try:
        return _parsed(wanted, data, size)
    except (_MoreNeeded, BrokenModelFile):
        # Damaged here, perhaps: what the hub says now counts.
        head_store.drop_head(wanted)
        return None


def _fetched(
    wanted: Wanted, size: int, hub: HubSource, first: int
) -> Generator[Event, None, GgufHeader]:
    if size == 0:
        return _parsed(wanted, b"", size)
    hub.refuse_offline(wanted)
    head, stop, notice = InMemory(), min(first, size), ""
    while True:
        stream, meter = FileStream(wanted, size, stop), Meter(wanted.file, wanted.role, stop)
        transfer = Transfer(
            head, stop, stream.open_at, f"The header of {wanted.file}", "Try again later."
        )
        for _ in transfer.watch():
            yield meter.at(transfer.done, "waiting" if transfer.is_quiet else "reading")
        # A server may send more than was asked for; the next range begins where this one ends.
        head.buffer.truncate(stop)
        if stream.notice and not notice:
            notice = stream.notice
            yield Notice(notice)
        try:
            header = _parsed(wanted, head.buffer.getvalue(), size)
        except _MoreNeeded:
            stop = min(2 * stop, size, HEADER_LIMIT)
            continue
        yield meter.at(transfer.done, "reading")
        head_store.keep_head(wanted, head.buffer.getvalue())
        return header


def _parsed(wanted: Wanted, data: bytes, size: int) -> GgufHeader:
    path = Path(wanted.repo, wanted.file)
    try:
        return parse_header(path, _Head(data), size)
    except BrokenModelFile as error:
        raise BrokenModelFile(error.message, _ANOTHER) from None
