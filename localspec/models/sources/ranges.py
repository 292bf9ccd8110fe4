"""The bytes of a file on the hub, from any offset: asked for as a range, and never more read."""

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from localspec.errors import DownloadFailed
from localspec.models.selection import Wanted
from localspec.models.sources.answers import get
from localspec.models.sources.endpoint import OTHER_MIRROR, file_url, from_elsewhere, host
from localspec.models.sources.refusals import NoSuchRange

_RANGE = re.compile(r"bytes (\d{1,20})-\d{1,20}/(\d{1,20}|\*)", re.ASCII)


class FileStream:
    """Opens a file that the hub says is of `size` bytes, from any offset to its end, or of its
    first `stop` bytes."""

    def __init__(self, wanted: Wanted, size: int, stop: int | None = None) -> None:
        self._wanted = wanted
        self._size = size
        self._stop = stop
        self.notice = ""
        """Where a mirror is set and another host sent the bytes: which."""

    def open_at(self, offset: int) -> AbstractContextManager[tuple[int, Iterator[bytes]]]:
        return self._opened(offset)

    @contextmanager
    def _opened(self, offset: int) -> Iterator[tuple[int, Iterator[bytes]]]:
        try:
            with get(self._wanted, file_url(self._wanted), offset, self._stop) as answer:
                self.notice = from_elsewhere(self._wanted, str(answer.url))
                # A server that knows no ranges sends all; whoever reads leaves when it has enough.
                yield self._begin(answer, offset), answer.iter_raw()
        except NoSuchRange:
            raise self._other(f"less than {self._size} bytes") from None

    def _begin(self, answer: Any, offset: int) -> int:
        """Where the answer's bytes begin: at `offset`, or before it."""
        if answer.status_code == 206:
            told = answer.headers.get("Content-Range", "")
            match = _RANGE.fullmatch(told)
            if match is None or int(match[1]) > offset:
                raise self._other("another part than was asked for")
            begin, total = int(match[1]), match[2]
        elif self._stop is None:
            # Its length shows when it is all here, and its hash more than that.
            return 0
        else:
            begin, total = 0, _digits(answer.headers.get("Content-Length"))
        if total.isdecimal() and int(total) != self._size:
            raise self._other(f"{total} bytes instead of {self._size}")
        return begin

    def _other(self, what: str) -> DownloadFailed:
        return DownloadFailed(f"{host()} sends {what} of {self._wanted.file}.", OTHER_MIRROR)


def _digits(text: str | None) -> str:
    return text if text and re.fullmatch(r"\d{1,20}", text, re.ASCII) else ""
