"""The first bytes of a file on the hub: asked for as a range, and never more read than that."""

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from huggingface_hub.utils import hf_raise_for_status  # type: ignore[attr-defined]

from localspec.errors import DownloadFailed
from localspec.models.selection import Wanted
from localspec.models.sources.hub import file_url, from_elsewhere, get
from localspec.models.sources.hub_errors import host, own_errors

_RANGE = re.compile(r"bytes (\d{1,20})-\d{1,20}/(\d{1,20}|\*)")


class HeadStream:
    """Opens the first `stop` bytes of a file that the hub lists with `size`, from any offset."""

    def __init__(self, wanted: Wanted, size: int, stop: int) -> None:
        self._wanted = wanted
        self._size = size
        self._stop = stop
        self.notice = ""
        """Where a mirror is set and another host sent the bytes: which."""

    def open_at(self, offset: int) -> AbstractContextManager[tuple[int, Iterator[bytes]]]:
        return self._opened(offset)

    @contextmanager
    def _opened(self, offset: int) -> Iterator[tuple[int, Iterator[bytes]]]:
        url = file_url(self._wanted)
        with own_errors(self._wanted), get(url, offset, self._stop) as answer:
            self.notice = from_elsewhere(self._wanted, str(answer.url))
            if answer.status_code == 416:
                raise self._other(f"less than {self._size} bytes")
            hf_raise_for_status(answer)
            # A server that knows no ranges sends all; whoever reads leaves when it has enough.
            yield self._begin(answer, offset), answer.iter_raw()

    def _begin(self, answer: Any, offset: int) -> int:
        if answer.status_code == 206:
            told = answer.headers.get("Content-Range", "")
            match = _RANGE.fullmatch(told)
            if match is None or int(match[1]) != offset:
                raise self._other("another part than was asked for")
            total = self._size if match[2] == "*" else int(match[2])
        else:
            offset, total = 0, int(_digits(answer.headers.get("Content-Length")) or self._size)
        if total != self._size:
            raise self._other(f"{total} bytes instead of {self._size}")
        return offset

    def _other(self, what: str) -> DownloadFailed:
        told = f"{host()} sends {what} of {self._wanted.file}."
        return DownloadFailed(told, "Try again later, or another mirror in HF_ENDPOINT.")


def _digits(text: str | None) -> str:
    return text if text and text.isdecimal() and text.isascii() else ""
