"""`localspec list`."""

import json

import pytest

from localspec.models import store
from tests.cli.invoke import invoke
from tests.models.scene import Scene


def test_nothing_here_says_how_to_begin(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    done = invoke(capsys, "list")
    assert (done.code, done.out) == (0, "")
    assert "localspec pull" in done.err


def test_ready_and_partial(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    """B09: a partial file was listed as installed."""
    scene.stub.faults[scene.draft_path] = ["cut:1000", *["cut:0"] * 6]
    assert invoke(capsys, "pull", "tiny").code == 1
    line = invoke(capsys, "list").out.splitlines()[1]
    assert line.split()[0] == "tiny"
    assert "Q8_0 + Q4_0" in line
    assert "partial" in line
    invoke(capsys, "pull", "tiny")
    store.touch("tiny")
    line = invoke(capsys, "ls").out.splitlines()[1]
    assert "ready" in line
    assert "partial" not in line
    assert "never" not in line


def test_all_shows_what_can_be_pulled(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    assert "not pulled" in invoke(capsys, "list", "--all").out
    [entry] = json.loads(invoke(capsys, "list", "--all", "--json").out)
    assert entry["state"] == "not pulled"
    assert entry["bytes"] == len(scene.target) + len(scene.draft)


def test_all_is_sorted_by_name_with_the_ready_ones_first(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    """The catalog's own order made a name hard to find, and `?` as a size told nothing."""
    unsized = scene.pairs[0]["target"] | {"bytes": None}
    scene.pairs += [scene.pairs[0] | {"name": name, "aliases": []} for name in ("zoo", "ant")]
    scene.pairs.append(scene.pairs[0] | {"name": "big", "aliases": [], "target": unsized})
    scene.write()
    scene.pull("zoo")
    scene.pull("tiny")
    store.touch("zoo")
    out = invoke(capsys, "list", "--all").out
    assert [line.split()[0] for line in out.splitlines()[1:]] == ["tiny", "zoo", "ant", "big"]
    assert "size unknown" in out
    assert "?" not in out


def test_a_size_that_the_catalog_lacks_is_reckoned(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two of three entries had "size unknown", while `fit` reckoned with their sizes."""
    unsized = scene.pairs[0]["target"] | {"bytes": None, "params_b": 8.0}
    scene.pairs.append(scene.pairs[0] | {"name": "big", "aliases": [], "target": unsized})
    scene.write()
    lines = invoke(capsys, "list", "--all").out.splitlines()
    assert lines[1].split()[:2] == ["big", "~8.5"]
    assert "localspec check" in lines[-1]
    assert "about 8.5 GB" in invoke(capsys, "show", "big").out


def test_an_entry_without_quantisations(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a user's own entry with repositories and files alone, the quantisation was " + "."""
    bare = {role: scene.pairs[0][role] | {"quant": None} for role in ("target", "draft")}
    scene.pairs = [scene.pairs[0] | bare]
    scene.write()
    assert " + " not in invoke(capsys, "list", "--all").out


def test_json(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(invoke(capsys, "list", "--json").out) == []
    scene.pull()
    [entry] = json.loads(invoke(capsys, "list", "--json").out)
    assert (entry["name"], entry["state"], entry["draft_quant"]) == ("tiny", "ready", "Q4_0")
    assert entry["bytes"] == len(scene.target) + len(scene.draft)
