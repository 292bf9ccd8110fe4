"""A signal that comes to another thread, or just before a read, must not wait for a key."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_TRIES = 20
_PAUSE_S = 0.05


@contextmanager
def nudged(waits: Callable[[], bool]) -> Iterator[None]:
    """While the main thread still `waits` after a signal, its read is interrupted, so that the
    signal's handler runs."""
    if not hasattr(signal, "SIGURG"):
        # Windows interrupts a read itself.
        yield
        return
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    main, quiet = threading.get_ident(), threading.Event()

    def nudge() -> None:
        while number := reader.recv(1):
            for _ in range(_TRIES if number[0] != signal.SIGURG else 0):
                if quiet.wait(_PAUSE_S) or not waits():
                    break
                signal.pthread_kill(main, signal.SIGURG)

    urgent = signal.signal(signal.SIGURG, lambda number, frame: None)
    wakeup = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    thread = threading.Thread(target=nudge, name="nudge", daemon=True)
    thread.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(wakeup)
        quiet.set()
        writer.close()
        thread.join()
        reader.close()
        signal.signal(signal.SIGURG, urgent)
