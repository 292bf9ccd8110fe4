"""Pulls as the user runs them: killed, interrupted, two at once, set up by the environment."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from filelock import FileLock

from localspec.models import store
from tests.models.scene import Scene
from tests.models.tiny_catalog import TARGET

PROJECT = Path(__file__).parents[2]


def start(scene: Scene, *args: str, **env: str) -> "subprocess.Popen[str]":
    command = [
        sys.executable,
        "-m",
        "tests.models.pull_process",
        str(scene.home / "catalog"),
        *args,
    ]
    environment = os.environ | {
        "HF_ENDPOINT": scene.stub.url,
        "HF_HUB_CACHE": str(scene.home / "huggingface" / "hub"),
        "PYTHONPATH": str(PROJECT),
    }
    return subprocess.Popen(
        command,
        env=environment | env,
        cwd=scene.home,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_partial(scene: Scene, size: int) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        partials = list((scene.home / "huggingface").rglob("*.incomplete"))
        if partials and partials[0].stat().st_size >= size:
            return
        time.sleep(0.02)
    pytest.fail("nothing was fetched")


def test_a_killed_pull_resumes(scene: Scene) -> None:
    """B09: kill -9 left a short file that looked installed, and a lock that blocked every pull."""
    scene.stub.faults[scene.target_path] = ["stall:40000"]
    puller = start(scene, "pull", "tiny")
    wait_for_partial(scene, 40_000 // 8192 * 8192)
    puller.kill()
    puller.communicate()
    [status] = store.installed()
    assert status.state == "partial"
    scene.stub.log.clear()
    scene.pull()
    [asked] = scene.stub.fetched(TARGET)
    assert asked.startswith("bytes=")
    assert store.resolve("tiny").target.read_bytes() == scene.target


@pytest.mark.skipif(os.name == "nt", reason="sends a POSIX signal")
def test_ctrl_c_ends_a_pull_on_a_silent_line(scene: Scene) -> None:
    """B25: a pull could not be cancelled while the line was silent."""
    scene.stub.faults[scene.target_path] = ["stall:40000"]
    puller = start(scene, "pull", "tiny")
    wait_for_partial(scene, 1)
    puller.send_signal(signal.SIGINT)
    out, err = puller.communicate(timeout=30)
    assert puller.returncode == 130
    assert "`localspec pull tiny` goes on where this left off" in err
    assert out == ""
    assert "Traceback" not in err
    assert "\x1b" not in err


def test_two_pulls_at_once_fetch_once(scene: Scene) -> None:
    """B09: two pulls of one model in two terminals corrupted each other."""
    scene.stub.faults[scene.target_path] = ["stall:40000"]
    first = start(scene, "pull", "tiny")
    wait_for_partial(scene, 1)
    second = start(scene, "pull", "tiny")
    _, second_words = second.communicate(timeout=30)
    first.communicate(timeout=30)
    assert (first.returncode, second.returncode) == (0, 0)
    assert "Another pull is fetching" in second_words
    assert len(scene.stub.fetched(TARGET)) == 2
    assert store.resolve("tiny").target.read_bytes() == scene.target


def test_a_lock_of_a_dead_process_is_no_obstacle(scene: Scene) -> None:
    """B09: a lock file left by a dead process blocked every later pull."""
    code = (
        "import os, sys; from filelock import FileLock;"
        "FileLock(sys.argv[1]).acquire(); os.kill(os.getpid(), 9)"
    )
    locks = scene.home / "huggingface" / "hub" / ".locks" / "models--maker--tiny-target-GGUF"
    locks.mkdir(parents=True)
    lock = locks / f"{scene.pairs[0]['target']['sha256']}.lock"
    subprocess.run([sys.executable, "-c", code, str(lock)], check=False)
    assert lock.exists()
    scene.pull()
    assert store.resolve("tiny").draft


def test_a_waiting_pull_can_be_cancelled(scene: Scene) -> None:
    lock = scene.home / "huggingface" / "hub" / ".locks" / "models--maker--tiny-target-GGUF"
    lock.mkdir(parents=True)
    with FileLock(lock / f"{scene.pairs[0]['target']['sha256']}.lock"):
        puller = start(scene, "pull", "tiny")
        time.sleep(2)
        puller.send_signal(signal.SIGINT)
        _, words = puller.communicate(timeout=30)
    assert puller.returncode == 130
    assert "waiting for it" in words


def test_json_lines_and_quiet(scene: Scene) -> None:
    puller = start(scene, "pull", "tiny", "--json")
    out, err = puller.communicate(timeout=30)
    events = [json.loads(line) for line in out.splitlines()]
    assert [event["event"] for event in events if event["event"] != "progress"] == ["plan", "done"]
    assert events[-1]["pair"]["name"] == "tiny"
    assert err == ""
    quiet = start(scene, "pull", "tiny", "--quiet")
    assert quiet.communicate(timeout=30) == ("", "")
    assert quiet.returncode == 0


def test_the_librarys_settings_are_honoured(scene: Scene) -> None:
    """B39: mirror, cache and offline settings were ignored."""
    offline = start(scene, "pull", "tiny", HF_HUB_OFFLINE="1")
    _, words = offline.communicate(timeout=30)
    assert offline.returncode == 1
    assert "HF_HUB_OFFLINE" in words
    cache = scene.home / "my cache é"
    online = start(scene, "pull", "tiny", HF_HUB_CACHE=str(cache))
    online.communicate(timeout=30)
    assert online.returncode == 0
    assert cache in store.resolve("tiny").target.parents
