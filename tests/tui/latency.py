"""How long a key takes to the screen while a reply streams, and what the first frame costs.

python -m tests.tui.latency [--keys 100]

The screen runs in a terminal of its own, its engine in a child process as ever, but without a
model: 60 tokens a second arrive in bursts. Letters are typed, each is waited for in what is drawn.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from tests.tui.screen_process import ScreenProcess

_PAGE_UP, _PAGE_DOWN, _ESCAPE, _QUIT = b"\x1b[5~", b"\x1b[6~", b"\x1b", b"\x11"
_LETTERS = [chr(code) for code in range(0x430, 0x52F)]
"""Cyrillic: none is in the reply, so each that is drawn was typed."""
_FIRST_PAINTS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", type=int, default=100)
    keys = parser.parse_args().keys
    print(f"{'ms from key to echo':<34} {'median':>7} {'95%':>7} {'worst':>7}   stall   CPU")
    for num_tokens in (100, 20_000):
        with tempfile.TemporaryDirectory() as home, closing(_chat(home)) as screen:
            _measure(screen, num_tokens, keys)
    _first_paint()
    costs = [_first_paint() for _ in range(_FIRST_PAINTS)]
    print(
        f"\nfirst paint: {statistics.median(costs):.2f} s of CPU"
        f" ({min(costs):.2f} to {max(costs):.2f}), before a model is loaded"
    )


def _measure(screen: ScreenProcess, num_tokens: int, keys: int) -> None:
    """Ask for a reply that has so many tokens at once and then goes on; type meanwhile."""
    screen.until("/ 8,192")
    screen.type(f"{num_tokens}\r".encode())
    screen.until("tok/s")
    time.sleep(2 + num_tokens / 2_000)
    screen.drain()
    name = f"reply of {num_tokens:,} tokens"
    pick = random.Random(0)
    _print(f"{name}, typing", screen, lambda: _typed(screen, keys, pick))
    pages = [_PAGE_UP] * 6 + [_PAGE_DOWN] * 4
    screen.type(_ESCAPE)
    time.sleep(1.5)
    _print(f"{name}, paging", screen, lambda: [_paged(screen, page, pick) for page in pages * 2])
    screen.type(_QUIT)
    screen.end()


def _print(name: str, screen: ScreenProcess, measure: Callable[[], Sequence[float]]) -> None:
    """One row: latencies, the longest time that the loop stood still, and the share of one CPU."""
    began, cpu = time.monotonic(), screen.cpu_s()
    times = sorted(1e3 * each for each in measure())
    ended = time.monotonic()
    share = (screen.cpu_s() - cpu) / (ended - began)
    high = times[int(0.95 * (len(times) - 1))]
    print(
        f"{name:<34} {statistics.median(times):7.0f} {high:7.0f} {times[-1]:7.0f}"
        f" {1e3 * screen.longest_stall(began, ended):7.0f} {share:5.0%}",
        flush=True,
    )


def _typed(screen: ScreenProcess, keys: int, pick: random.Random) -> list[float]:
    times = []
    for number in range(keys):
        letter = _LETTERS[number % len(_LETTERS)]
        screen.drain(pick.uniform(0.08, 0.25))
        times.append(screen.echo(letter.encode(), letter))
    return times


def _paged(screen: ScreenProcess, key: bytes, pick: random.Random) -> float:
    screen.drain(pick.uniform(0.3, 0.6))
    return screen.echo(key)


def _chat(home: str) -> ScreenProcess:
    folders = {f"LOCALSPEC_{name}_DIR": f"{home}/{name}" for name in ("CONFIG", "DATA", "CACHE")}
    return ScreenProcess(["-m", "tests.tui.streaming", f"{home}/stalls"], folders)


def _first_paint() -> float:
    """Seconds of CPU of the real command until the prompt is on the screen."""
    with tempfile.TemporaryDirectory() as home, closing(_real_chat(home)) as screen:
        screen.until("Ask anything")
        cost = screen.cpu_s()
        screen.type(_QUIT)
        screen.end()
    return cost


def _real_chat(home: str) -> ScreenProcess:
    """With a model where one is on this disk; else one is made up, and its load fails later."""
    command = [sys.executable, "-m", "localspec", "list", "--json"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False)
    if '"ready"' in listed.stdout:
        return ScreenProcess(["-m", "localspec", "chat"], {})
    return _chat(home)


if __name__ == "__main__":
    os.chdir(Path(__file__).parents[2])
    main()
