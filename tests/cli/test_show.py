"""`localspec show`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from localspec.models import catalog, store
from localspec.models.adding import add
from tests.cli.invoke import invoke
from tests.models.scene import Scene
from tests.models.test_pull_process import PROJECT
from tests.models.tiny_catalog import COMMIT, DRAFT, TARGET
from tests.tiny_gguf import write_model


def test_an_entry_and_its_files(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    words = invoke(capsys, "show", "tiny-alias").out
    for expected in (TARGET, DRAFT, COMMIT, "apache-2.0", "on this disk: no"):
        assert expected in words
    scene.pull()
    assert str(store.resolve("tiny").target) in invoke(capsys, "show", "tiny").out


def test_an_entry_is_told_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    """The catalog's raw keys were printed: `tier: core`, `gated: False`, `params_b 1.54`."""
    words = invoke(capsys, "show", "starter").out
    for raw in ("tier", "gated", "params_b", "n_layer", "compat_basis", "False", "None"):
        assert raw not in words
    assert "1.54 billion parameters, 28 layers" in words
    assert "licence: apache-2.0; no account needed" in words
    assert "drafting: a draft model" in words
    assert "EAGLE3 head, which localspec can't draft" in invoke(capsys, "show", "gpt-oss-20b").out


def test_a_pair_that_no_catalog_knows_tells_its_licence_and_its_place(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    """The licence was shown once, by the pull."""
    scene.stub.add_repo("someone/Any", {"Any-Q4_K_M.gguf": scene.target}, license="mit")
    scene.pull("someone/Any", with_draft=False)
    words = invoke(capsys, "show", "someone/Any").out
    assert "licence: mit" in words
    assert "of someone/Any" in words


def test_an_added_pair_tells_its_files_facts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing but the path was told of a user's own file."""
    target = write_model(tmp_path / "m.gguf", n_vocab=300, n_layer=1)
    add("mine", target)
    words = invoke(capsys, "show", "mine").out
    assert f"{target.stat().st_size / 1000:.1f} kB, quantisation unknown, " in words
    assert " parameters" in words
    target.unlink()
    assert "does not exist" in invoke(capsys, "show", "mine").out


def test_the_verdict_is_the_last_line(tmp_path: Path, own_home: Path) -> None:
    """The verdict was on stderr, and shown above the description where stderr comes first."""
    add("mine", write_model(tmp_path / "m.gguf"))
    command = [sys.executable, "-m", "localspec", "show", "mine", "--verify"]
    environment = os.environ | {"PYTHONPATH": str(PROJECT)}
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    )
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "Every file is whole."


def test_json_holds_entry_and_disk(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    scene.pull()
    shown = json.loads(invoke(capsys, "show", "tiny", "--json", "--verify").out)
    assert shown["entry"]["target"]["file"] == TARGET
    assert shown["disk"]["ready"] is True


def test_verify_names_a_file_with_one_flipped_bit(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that rotted on the disk was never noticed, and no pull replaced it."""
    scene.pull()
    good = invoke(capsys, "show", "tiny", "--verify")
    assert good.code == 0
    assert good.out.endswith("\nEvery file is whole.\n")
    draft = store.resolve("tiny").draft
    assert draft is not None
    draft.write_bytes(scene.draft[:-1] + bytes([scene.draft[-1] ^ 1]))
    bad = invoke(capsys, "show", "tiny", "--verify")
    assert bad.code == 1
    assert f"{draft} is damaged." in bad.err
    assert str(store.installed()[0].state) == "partial"
    scene.pull()
    assert draft.read_bytes() == scene.draft
    assert invoke(capsys, "show", "tiny", "--verify").code == 0


def test_verify_what_is_not_here(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    done = invoke(capsys, "show", "tiny", "--verify")
    assert done.code == 1
    assert "localspec pull tiny" in done.err


def test_an_unknown_name(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    done = invoke(capsys, "show", "tinny")
    assert (done.code, done.out) == (2, "")
    assert "Nearest: tiny" in done.err


def test_every_shipped_entry_can_be_shown(capsys: pytest.CaptureFixture[str]) -> None:
    for pair in catalog.pairs():
        assert pair.target.repo in invoke(capsys, "show", pair.name).out
