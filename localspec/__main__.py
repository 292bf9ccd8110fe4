"""`python -m localspec`, and the `localspec` command."""

import os
import signal
import sys
from typing import Any

_INTERRUPTED = 130


def main() -> None:
    """Quiet from the first import on: Ctrl+C before there is anything to stop just ends it."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    from localspec.cli.main import main as run

    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, before)
    try:
        run()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


def _leave(*_: Any) -> None:
    os._exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
