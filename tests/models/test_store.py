"""What is on this disk, how it is found, and how it goes again."""

from pathlib import Path

import pytest
from huggingface_hub import constants

from localspec import paths
from localspec.errors import (
    DownloadFailed,
    LocalspecError,
    NotPulled,
    PairMismatch,
    UnknownModel,
    UsageError,
)
from localspec.models import catalog, records, removal, store
from localspec.models.adding import add
from localspec.models.records import PairRecord, StoredFile
from tests.models.scene import Scene
from tests.models.tiny_catalog import DRAFT, DRAFT_REPO, file_entry, pair_entry
from tests.tiny_gguf import write_model


def test_the_shipped_catalog() -> None:
    """Nothing that a user could pull was dropped, and every name is unambiguous."""
    pairs = catalog.pairs()
    assert len(pairs) == 66
    names = [name.lower() for pair in pairs for name in (pair.name, *pair.aliases)]
    assert len(names) == len(set(names))
    assert sum(1 for pair in pairs if pair.draft) == 50
    assert catalog.find("STARTER").name == "qwen2.5-coder-1.5b"  # type: ignore[union-attr]
    for name, file in catalog.wheel_files().items():
        assert sum(part.member_bytes for part in file.parts) == file.bytes, name


def test_an_unknown_name_has_its_nearest() -> None:
    with pytest.raises(UnknownModel, match=r"Nearest: .*qwen2\.5-coder-1\.5b"):
        store.resolve("qwen2.5-coder-1.5")
    with pytest.raises(UnknownModel):
        store.resolve("../../etc/passwd")


def test_a_known_name_that_is_not_here() -> None:
    with pytest.raises(NotPulled, match=r"localspec pull qwen2\.5-coder-1\.5b"):
        store.resolve("Starter")


def test_last_used_comes_first(scene: Scene, tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        add(name, write_model(tmp_path / f"{name}.gguf"))
    store.touch("two")
    assert [status.name for status in store.installed()] == ["two", "one", "three"]
    used = store.resolve("TWO").last_used
    assert used is not None
    assert used.tzinfo is not None


def test_a_file_that_shrank_is_not_ready(scene: Scene) -> None:
    """B09: a short file was listed as ready."""
    scene.pull()
    target = store.resolve("tiny").target
    target.write_bytes(scene.target[:-1])
    with pytest.raises(NotPulled):
        store.resolve("tiny")
    assert store.installed()[0].state == "missing"


def test_a_record_that_cannot_be_read_is_no_obstacle(scene: Scene) -> None:
    paths.pairs_dir().mkdir(parents=True)
    (paths.pairs_dir() / "tiny.json").write_text("{")
    assert store.installed() == []
    scene.pull()
    assert store.resolve("tiny")


def test_removing_frees_what_nothing_else_uses(scene: Scene) -> None:
    """A draft that two pairs share stays until the second pair goes."""
    other = file_entry("maker/other", "other.gguf", scene.target)
    scene.stub.add_hub_file("maker/other", "other.gguf", scene.target)
    draft = file_entry(DRAFT_REPO, DRAFT, scene.draft)
    scene.pairs.append(pair_entry("second", other, draft))
    scene.write()
    scene.pull("tiny")
    scene.pull("second")
    removed = removal.remove("tiny")
    assert removed.freed_bytes == len(scene.target)
    assert [reason for _, reason in removed.kept] == ["second uses it"]
    assert store.resolve("second").draft.read_bytes() == scene.draft  # type: ignore[union-attr]
    removal.remove("second")
    assert not list((scene.home / "huggingface").rglob("*.gguf"))
    assert not list((scene.home / "huggingface").rglob("blobs/*"))


def test_removing_a_link_leaves_what_it_points_to(scene: Scene, tmp_path: Path) -> None:
    """`rm` deleted the file behind a link that the user had made to another disk of models."""
    scene.pull()
    target = store.resolve("tiny").target
    elsewhere = tmp_path / "disk" / "blobs" / "kept.gguf"
    elsewhere.parent.mkdir(parents=True)
    target.resolve().replace(elsewhere)
    target.unlink()
    target.symlink_to(elsewhere)
    removed = removal.remove("tiny")
    assert elsewhere.read_bytes() == scene.target
    assert target in removed.deleted
    assert not target.is_symlink()
    assert removed.freed_bytes < len(scene.target)


@pytest.mark.parametrize("field", ["path", "partial"])
def test_a_record_that_names_another_file_deletes_nothing(
    scene: Scene, tmp_path: Path, field: str
) -> None:
    """`rm` deleted whatever file a damaged record named."""
    scene.pull()
    record = records.load("tiny")
    assert record is not None
    for place in (tmp_path, paths.models_dir() / ".." / "beside"):
        place.mkdir(parents=True, exist_ok=True)
        letter = place / "letter.txt"
        letter.write_text("dear")
        files = (record.files[0].model_copy(update={field: letter}), *record.files[1:])
        records.save(record.model_copy(update={"files": files}))
        assert (letter, "it lies where localspec puts no files") in removal.remove("tiny").kept
        assert letter.read_text() == "dear"


def test_removing_from_a_cache_behind_a_link_frees_it(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "linked").symlink_to(tmp_path / "real")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "linked"))
    scene.pull()
    removed = removal.remove("tiny")
    assert removed.freed_bytes == len(scene.target) + len(scene.draft)
    assert not [path for path in (tmp_path / "real").rglob("*/blobs/*") if path.is_file()]


def test_removing_a_partial_pull(scene: Scene) -> None:
    scene.stub.faults[scene.target_path] = ["cut:1000", *["cut:0"] * 6]
    with pytest.raises(DownloadFailed):
        scene.pull()
    assert removal.remove("tiny").freed_bytes == 1000
    assert store.installed() == []
    with pytest.raises(NotPulled):
        removal.remove("tiny")


def test_a_file_that_was_in_the_cache_before_stays(scene: Scene) -> None:
    scene.pull()
    target = store.resolve("tiny").target
    records.delete("tiny")
    scene.pull()
    removed = removal.remove("tiny")
    assert removed.freed_bytes == 0
    assert target.exists()


def test_added_files_are_never_deleted(tmp_path: Path) -> None:
    target = write_model(tmp_path / "my model é.gguf")
    draft = write_model(tmp_path / "draft.gguf", n_layer=1, n_embd=32)
    pair = add("Mine_1.0", target, draft)
    assert (pair.name, pair.target, pair.draft) == ("Mine_1.0", target, draft)
    assert store.resolve("mine_1.0").target == target
    removal.remove("mine_1.0")
    assert target.exists()
    assert draft.exists()
    assert store.installed() == []


def test_relative_paths_are_kept_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_model(tmp_path / "m.gguf")
    monkeypatch.chdir(tmp_path)
    assert add("mine", Path("m.gguf")).target == tmp_path / "m.gguf"


@pytest.mark.parametrize(
    "name", ["", "a/b", "..", "-x", "a b", "ä", "starter", "Qwen2.5-Coder-1.5B"]
)
def test_names_that_cannot_be_given(tmp_path: Path, name: str) -> None:
    target = write_model(tmp_path / "m.gguf")
    with pytest.raises(UsageError):
        add(name, target)


def test_a_pair_that_does_not_fit_is_not_added(tmp_path: Path) -> None:
    target = write_model(tmp_path / "m.gguf")
    draft = write_model(tmp_path / "d.gguf", n_vocab=900)
    with pytest.raises(PairMismatch, match="add the target alone"):
        add("mine", target, draft)
    assert store.installed() == []
    with pytest.raises(PairMismatch, match="target itself"):
        add("mine", target, target)
    assert add("mine", target, target, force=True).draft == target


def test_a_broken_record_write_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = StoredFile(role="target", path=tmp_path / "x.gguf")
    records.save(PairRecord(name="x", source="local", files=(file,)))

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(LocalspecError, match="disk full"):
        records.save(PairRecord(name="x", source="hub", files=()))
    assert records.load("x").source == "local"  # type: ignore[union-attr]
