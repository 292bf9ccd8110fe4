"""The line to the backend: it works in a thread, and its events arrive as messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count

from textual.dom import DOMNode
from textual.message import Message

from localspec.backends.interface import Backend, ReplyRequest
from localspec.chat.events import Event, Failed
from localspec.chat.events import Message as Turn
from localspec.errors import LocalspecError
from localspec.tui.contest import Contest
from localspec.tui.messages import BackendEnded, BackendEvent
from localspec.tui.meter import Clock

Post = Callable[[Message], bool]


class Link:
    """Owns the backend. Only events of the newest run are worth listening to."""

    def __init__(
        self, listener: DOMNode, make_backend: Callable[..., Backend], clock: Clock
    ) -> None:
        self.run = 0
        self._runs = count(1)
        self._stopped_run = 0
        self._listener = listener
        self._make_backend = make_backend
        self._clock = clock
        self._backend: Backend | None = None

    def open(self, name: str, ctx: int | None = None) -> None:
        """Load a pair in the place of the one before, with another context than the settings'
        if one is given. Raises LocalspecError for a bad name."""
        new = self._make_backend(name) if ctx is None else self._make_backend(name, ctx=ctx)
        old, self._backend = self._backend, new

        def load() -> Iterator[Event]:
            # First the old one's memory, then the new one's.
            if old is not None:
                old.close()
            yield from new.load()

        self._start(load)

    def chat(self, messages: Sequence[Turn], request: ReplyRequest) -> None:
        backend = self._backend
        assert backend is not None
        self._start(lambda: backend.chat(messages, request))

    def count_tokens(self, text: str) -> int | None:
        """The length of a text; None where nobody can say now. Blocks."""
        return counted(self._backend, text)

    def take(self, backend: Backend) -> None:
        """Talk to one that is loaded already."""
        self._backend = backend

    def compare(self, watcher: DOMNode, contest: Contest) -> None:
        """`watcher` hears of it instead of the listener."""
        backend = self._backend
        assert backend is not None
        asked = (contest.messages, contest.request, contest.repeats)
        self._start(lambda: backend.compare(*asked), watcher)

    def stop(self) -> None:
        """End the reply soon; what has arrived stays, and the end is announced as ever."""
        self._stopped_run = self.run
        if self._backend is not None:
            self._backend.stop()

    def close(self) -> None:
        """Free everything. Waits for the backend; safe to call twice."""
        self.run = next(self._runs)
        backend, self._backend = self._backend, None
        if backend is not None:
            backend.close()

    def _start(self, events: Callable[[], Iterator[Event]], watcher: DOMNode | None = None) -> None:
        self.run = run = next(self._runs)
        post = (watcher or self._listener).post_message
        self._listener.run_worker(
            lambda: self._pump(events, run, post), thread=True, exclusive=True, group="backend"
        )

    def _pump(self, events: Callable[[], Iterator[Event]], run: int, post: Post) -> None:
        try:
            for num_before, event in enumerate(events()):
                _post(post, BackendEvent(event, run, self._clock()))
                # A stop before this one may have reached the backend earlier than the question.
                if num_before == 0 and self._stopped_run == run == self.run:
                    self.stop()
        except LocalspecError as error:
            failed = Failed(error.message, error.hint, error.exit_code)
            _post(post, BackendEvent(failed, run, self._clock()))
        except Exception as error:
            failed = Failed(f"The engine failed: {type(error).__name__}: {error}", fatal=True)
            _post(post, BackendEvent(failed, run, self._clock()))
        _post(post, BackendEnded(run))


def counted(backend: Backend | None, text: str) -> int | None:
    """The length of a text; None where nobody can say now. Blocks."""
    try:
        return backend.count_tokens(text) if backend is not None else None
    except Exception:
        # A number to show is not worth the conversation.
        return None


def _post(post: Post, message: Message) -> None:
    try:
        post(message)
    except RuntimeError:
        # The screen's loop is over: nobody is left to tell.
        pass
