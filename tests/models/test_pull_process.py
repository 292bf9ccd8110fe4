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
    told = [event["event"] for event in events if event["event"] != "progress"]
    assert told == ["plan", "checked", "done"]
    assert events[-1]["pair"]["name"] == "tiny"
    assert err == ""
    quiet = start(scene, "pull", "tiny", "--quiet")
    assert quiet.communicate(timeout=30) == ("", "")
    assert quiet.returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="sends a POSIX signal")
def test_ctrl_c_ends_the_reading_of_a_header(scene: Scene) -> None:
    """B25: before the files too, on a silent line."""
    scene.stub.add_repo("someone/Any", {"Any-Q4_K_M.gguf": scene.target})
    scene.stub.span_faults["/someone/Any/resolve/*/Any-Q4_K_M.gguf"] = ["stall:100"] * 9
    puller = start(scene, "pull", "someone/Any")
    deadline = time.monotonic() + 20
    while not scene.stub.spans("Any-Q4_K_M.gguf") and time.monotonic() < deadline:
        time.sleep(0.05)
    puller.send_signal(signal.SIGINT)
    _, words = puller.communicate(timeout=30)
    assert puller.returncode == 130
    assert "`localspec pull someone/Any` goes on where this left off" in words
    assert "Traceback" not in words
    assert list((scene.home / "cache").rglob("*.partial")) == []


@pytest.mark.skipif(os.name == "nt", reason="sends a POSIX signal")
def test_cancelling_one_pull_leaves_the_other(scene: Scene) -> None:
    """B25: the only way to abort ended every running download."""
    scene.stub.add_repo("someone/Any", {"Any-Q4_K_M.gguf": scene.target})
    scene.stub.faults["/someone/Any/resolve/*/Any-Q4_K_M.gguf"] = ["stall:40000"]
    scene.stub.faults[scene.target_path] = ["drip:40000"]
    stopped = start(scene, "pull", "someone/Any")
    wait_for_partial(scene, 1)
    other = start(scene, "pull", "tiny")
    stopped.send_signal(signal.SIGINT)
    stopped.communicate(timeout=30)
    other.communicate(timeout=30)
    assert (stopped.returncode, other.returncode) == (130, 0)
    assert store.resolve("tiny").target.read_bytes() == scene.target
    [partial] = [each for each in store.installed() if each.state == "partial"]
    assert partial.present_bytes > 0


def test_a_proxy_is_asked_for_everything(scene: Scene) -> None:
    """B39: proxy variables were ignored; the list, the headers and the files go through it."""
    scene.stub.add_repo("someone/Any", {"Any-Q4_K_M.gguf": scene.target})
    through = {"HF_ENDPOINT": "http://hub.invalid", "HTTP_PROXY": scene.stub.url}
    puller = start(scene, "pull", "someone/Any", "--no-draft", **through)
    _, words = puller.communicate(timeout=30)
    assert puller.returncode == 0, words
    asked = [path for path, _ in scene.stub.tokens]
    assert len(asked) >= 4
    assert all(path.startswith("http://hub.invalid/") for path in asked)
    broken = through | {"HTTP_PROXY": "http://127.0.0.1:9"}
    refused = start(scene, "check", "someone/Other", **broken)
    _, words = refused.communicate(timeout=30)
    assert refused.returncode == 1
    assert "http://hub.invalid (from HF_ENDPOINT) can't be reached" in words


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


def test_nothing_else_is_asked(scene: Scene) -> None:
    """The hub's library asked for a list of programs first, and waited for a silent one."""
    scene.stub.add_repo("someone/Any", {"Any-Q4_K_M.gguf": scene.target})
    for args in (["check", "someone/Any"], ["pull", "someone/Any"], ["pull", "tiny"]):
        puller = start(scene, *args)
        _, words = puller.communicate(timeout=30)
        assert puller.returncode == 0, words
    files = {scene.target_path, scene.draft_path, "/someone/Any/resolve/*/Any-Q4_K_M.gguf"}
    assert {path for _, path, _ in scene.stub.log} == files | {"/api/models/someone/Any"}
    assert not list((scene.home / "huggingface").glob(".*"))
