"""Memory comes back when models are switched, and an end is silent (B47)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import register
from tests.tiny_gguf import write_model

SWITCHES = 20
_START = """
import sys
from contextlib import closing
import psutil
from localspec.backends.interface import LoadRequest, ReplyRequest
from localspec.backends.local import LocalBackend
from localspec.chat.events import Failed, Finished, Message, Ready
from localspec.engine.sampling import SamplingParams

def backend_of(name, **fields):
    return LocalBackend(LoadRequest(name, ctx=4096, threads=1, **fields))

def reply(backend):
    sampling = SamplingParams(temperature=0.0, max_tokens=16)
    *_, end = backend.chat([Message("user", "Hi there")], ReplyRequest(sampling))
    assert isinstance(end, Finished), end
"""


def python(script: str, own_home: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.run(
        [sys.executable, "-c", _START + script],
        capture_output=True, text=True, env=environment, timeout=120,
    )  # fmt: skip


@pytest.fixture
def pairs(own_home: Path, tmp_path: Path) -> None:
    """Two pairs of 10 MB and one that can't be loaded."""
    for name in ("first", "second"):
        files = {
            role: write_model(tmp_path / f"{name}-{role}.gguf", n_embd=512, n_ctx_train=8192)
            for role in ("target", "draft")
        }
        register(name, **files)
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + b"\0" * 400)
    register("broken", target=broken)


@pytest.mark.usefixtures("pairs")
def test_switching_takes_no_more_memory_and_a_failed_switch_is_no_end(own_home: Path) -> None:
    """Memory of the old pair stayed until the process ended, so the next one didn't fit."""
    done = python(
        f"""
def resident():
    return psutil.Process().memory_info().rss / 1e6

sizes = []
for number in range({SWITCHES}):
    name = ("first", "second")[number % 2]
    with closing(backend_of(name)) as backend:
        *_, end = backend.load()
        assert isinstance(end, Ready), end
        reply(backend)
        if number % 5 == 0:
            *_, end = backend_of("broken").load()
            assert isinstance(end, Failed), end
            reply(backend)
    sizes.append(resident())
print(" ".join(f"{{size:.0f}}" for size in sizes))
""",
        own_home,
    )
    assert (done.returncode, done.stderr) == (0, "")
    sizes = [int(size) for size in done.stdout.split()]
    assert len(sizes) == SWITCHES
    # The allocator's own holes grow by some MB (40 seen); a pair takes 30, a draft 10, each time.
    assert min(sizes[-5:]) - min(sizes[:5]) < 100, sizes


@pytest.mark.usefixtures("pairs")
@pytest.mark.parametrize(
    "script",
    [
        # After a load, closed or not, and with a reply under way.
        "backend = backend_of('first'); list(backend.load()); backend.close()",
        "backend = backend_of('first'); list(backend.load())",
        "backend = backend_of('first'); list(backend.load()); reply(backend)",
        "backend = backend_of('first'); list(backend.load());"
        " events = backend.chat([Message('user', 'Hi')], ReplyRequest()); next(events)",
        # During a load of the target and of the draft.
        "events = backend_of('first').load(); next(events)",
        "events = backend_of('first').load(); next(e for e in events if e.model == 'draft')",
        "events = backend_of('first').load(); next(events); sys.exit(0)",
        # After an error.
        "list(backend_of('broken').load())",
        "list(backend_of('first', device='CUDA7').load())",
        "backend = backend_of('first'); list(backend.load());"
        " backend._request = backend_of('broken')._request; list(backend.load())",
    ],
)
def test_an_end_is_silent_wherever_it_comes(script: str, own_home: Path) -> None:
    """Python complained of ignored errors in destructors at its end."""
    done = python(script, own_home)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.usefixtures("pairs")
def test_a_load_that_is_broken_off_leaves_the_next_one_alone(own_home: Path) -> None:
    done = python(
        """
backend = backend_of("first")
for stop in range(1, 40, 3):
    events = backend.load()
    for _, event in zip(range(stop), events):
        pass
    events.close()
*_, end = backend.load()
assert isinstance(end, Ready), end
reply(backend)
backend.close()
""",
        own_home,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
