"""Fetches a URL in a thread, so that a stalled socket never holds its watcher.

Knows no HTTP library: the source hands it a way to open the stream at an offset.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from io import BufferedRandom, BytesIO
from pathlib import Path
from typing import IO, Protocol

from localspec.errors import DownloadFailed

OpenStream = Callable[[int], AbstractContextManager[tuple[int, Iterator[bytes]]]]
"""Given how many bytes are here: where the answer's bytes begin (0 if it can't resume), and they.

Raises Interrupted for what may pass, a LocalspecError for what won't.
"""

_PAUSES_S = (1, 2, 4, 8, 8)
_RESUME = "Run the pull again to resume."
_QUIET_S = 2.0
_SILENT_S = 180.0
"""More than all tries take where each ends by its own time limit."""
_POLL_S = 0.2


class Interrupted(Exception):
    """The connection failed in a way that another try may mend."""


class Faltered(Interrupted):
    """The server is there: another try at once may do."""


class Sink(Protocol):
    """Where bytes go; those of a try before may be there."""

    def size(self) -> int: ...

    def is_gone(self) -> bool:
        """Somebody took away what was here."""
        ...

    def opened(self) -> AbstractContextManager[IO[bytes]]: ...


class PartialFile:
    def __init__(self, path: Path) -> None:
        self._path = path

    def size(self) -> int:
        return self._path.stat().st_size if self._path.exists() else 0

    def is_gone(self) -> bool:
        return not self._path.exists()

    def opened(self) -> BufferedRandom:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.touch()
        return self._path.open("r+b")


class InMemory:
    """For what is small, and wanted on a full disk as well."""

    def __init__(self) -> None:
        self.buffer = BytesIO()

    def size(self) -> int:
        return len(self.buffer.getbuffer())

    def is_gone(self) -> bool:
        return False

    def opened(self) -> AbstractContextManager[BytesIO]:
        return nullcontext(self.buffer)


class Transfer:
    def __init__(
        self, sink: Sink, size: int, open_stream: OpenStream, label: str, hint: str = _RESUME
    ) -> None:
        self._sink = sink
        self._size = size
        self._open = open_stream
        self._label = label
        self._hint = hint
        self._stop = threading.Event()
        self._ended = threading.Event()
        self._failure: Exception | None = None
        self._last_bytes_at = time.monotonic()
        self.done = min(sink.size(), size)

    @property
    def is_quiet(self) -> bool:
        """No byte came for a while."""
        return self._silence() > _QUIET_S

    def _silence(self) -> float:
        return time.monotonic() - self._last_bytes_at

    def watch(self) -> Iterator[None]:
        """Yields a few times a second until all bytes are here; closing it stops the transfer.

        What was fetched stays in the sink.
        """
        thread = threading.Thread(target=self._run, name="localspec-transfer", daemon=True)
        thread.start()
        try:
            while not self._ended.wait(_POLL_S):
                if self._silence() > _SILENT_S:
                    raise self._given_up(f"no byte came for {_SILENT_S:.0f} seconds")
                self._refuse_gone()
                yield
        finally:
            self._stop.set()
            # A blocked read can't be woken; it finds `_stop` set before it could write.
            thread.join(timeout=0.5)
        if self._failure is not None:
            raise self._failure
        self._refuse_gone()

    def _refuse_gone(self) -> None:
        # An open file takes bytes that nobody will ever find, all forty gigabytes of them.
        if self.done and self._sink.is_gone():
            told = f"{self._label} was removed while it was fetched."
            raise DownloadFailed(told, "Pull it again if that was a mistake.")

    def _run(self) -> None:
        try:
            self._fetch_with_retries()
        except Exception as error:
            self._failure = error
        finally:
            self._ended.set()

    def _fetch_with_retries(self) -> None:
        tries = 0
        while self.done < self._size and not self._stop.is_set():
            before = self.done
            try:
                self._fetch()
                reason = "the answer ended early"
            except Interrupted as error:
                reason = str(error)
            if self.done >= self._size:
                return
            tries = 0 if self.done > before else tries
            if tries == len(_PAUSES_S):
                raise self._given_up(f"the connection keeps failing ({reason})")
            self._stop.wait(_PAUSES_S[tries])
            tries += 1

    def _given_up(self, why: str) -> DownloadFailed:
        got = f"{self.done} of {self._size} bytes are here"
        return DownloadFailed(f"{self._label}: {why}; {got}.", self._hint)

    def _fetch(self) -> None:
        with self._open(self.done) as (offset, chunks), self._sink.opened() as file:
            file.seek(offset)
            file.truncate()
            self.done = offset
            for chunk in chunks:
                if self._stop.is_set():
                    return
                file.write(chunk)
                self.done += len(chunk)
                self._last_bytes_at = time.monotonic()
                if self.done > self._size:
                    # More than announced can't be right; the hash check will say so.
                    return
