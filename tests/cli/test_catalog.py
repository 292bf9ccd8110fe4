"""`localspec catalog`: a report on stdout, an exit code, one sentence for a dead line."""

import json
import sys
from collections.abc import Iterator

import pytest
from huggingface_hub import constants

from localspec import paths
from localspec.cli.main import main
from localspec.models import catalog
from tests.cli.invoke import invoke
from tests.models import tiny_catalog
from tests.models.scene import Scene
from tests.models.tiny_catalog import DRAFT, DRAFT_REPO, REPO, TARGET


@pytest.fixture(autouse=True)
def two_entries(scene: Scene) -> Iterator[None]:
    scene.stub.add_repo(REPO, {TARGET: scene.target})
    scene.stub.add_repo(DRAFT_REPO, {DRAFT: scene.draft})
    target = tiny_catalog.file_entry(REPO, TARGET, scene.target, bytes=1000)
    scene.pairs.append(tiny_catalog.pair_entry("wrong", target, None))
    scene.write()
    yield


def test_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    done = invoke(capsys, "catalog", "verify")
    assert done.code == 1
    first, second, detail, end = done.out.splitlines()
    assert first == "tiny   as the catalog says"
    assert second == "wrong  differs"
    assert detail.startswith(f"  target {REPO} {TARGET}: it has ")
    assert end == "2 entries: 1 as the catalog says, 1 differ."
    assert done.err == ""


def test_one_entry_by_its_alias(capsys: pytest.CaptureFixture[str]) -> None:
    done = invoke(capsys, "catalog", "verify", "TINY-alias", "tiny")
    assert done.code == 0
    assert done.out.splitlines()[-1] == "1 entry: 1 as the catalog says."
    assert invoke(capsys, "catalog", "verify", "nobody").code == 2


def test_json_tells_what_the_hub_has(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    done = invoke(capsys, "catalog", "verify", "--json", "--no-headers")
    found = json.loads(done.out)
    assert [entry["state"] for entry in found["entries"]] == ["true", "differs"]
    assert found["entries"][1]["files"][0]["bytes"] == len(scene.target)
    assert found["not_checked"] == 0
    assert not [path for method, path, _ in scene.stub.log if "/resolve/" in path]


def test_a_dead_line_is_one_sentence(
    scene: Scene, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every entry was called broken when the network was."""
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    done = invoke(capsys, "catalog", "verify")
    assert (done.code, done.out) == (1, "")
    assert done.err.count("\n") == 1
    assert "can't be reached" in done.err


def test_what_was_seen_before_the_line_died_is_told(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tiny_catalog.file_entry("maker/late", TARGET, scene.target)
    scene.pairs.append(tiny_catalog.pair_entry("late", target, None))
    scene.write()
    scene.stub.status["/api/models/maker/late"] = 429
    done = invoke(capsys, "catalog", "verify")
    assert done.code == 1
    assert done.out.splitlines()[-1] == (
        "3 entries: 1 as the catalog says, 1 differ, 1 not checked."
    )
    assert "status 429" in done.err
    assert json.loads(invoke(capsys, "catalog", "verify", "--json").out)["not_checked"] == 1


def test_an_interrupt_ends_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> Iterator[None]:
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr("localspec.models.audit.ask_listing", interrupt)
    done = invoke(capsys, "catalog", "verify")
    assert (done.code, done.err) == (130, "localspec: interrupted\n")


def test_the_schema_is_the_shape_that_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    schema = json.loads(invoke(capsys, "catalog", "schema").out)
    assert schema["type"] == "array"
    pair = schema["$defs"]["Pair"]
    assert pair["required"] == ["name", "target"]
    assert schema["$defs"]["ModelFile"]["properties"]["sha256"]["anyOf"][0]["pattern"]
    assert str(paths.own_pairs_file()) in schema["$comment"]


def test_a_broken_own_file_is_said_once_and_stops_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = paths.own_pairs_file()
    path.parent.mkdir(parents=True)
    path.write_text('[{"name": "mine", "target": {"repo": "a/b", "file": "c.gguf"}}, 7]')
    for cached in (catalog.pairs, catalog._by_name):
        cached.cache_clear()
    monkeypatch.setattr(sys, "argv", ["localspec", "show", "mine"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    shown = capsys.readouterr()
    assert f"an entry of your own, in {path}" in shown.out
    assert shown.err.count("\n") == 1
    assert f"{path}, entry 2, the whole: " in shown.err
