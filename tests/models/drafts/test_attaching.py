"""Another draft for a pair on this disk."""

from pathlib import Path

import pytest

from localspec.errors import NotPulled, PairMismatch, UsageError
from localspec.models import records, store
from localspec.models.adding import add
from localspec.models.drafts.attaching import attach, detach
from localspec.models.records import StoredFile
from tests.conftest import TinyFiles, register
from tests.tiny_gguf import write_model


def test_a_draft_is_attached_taken_off_and_attached_again(tiny_files: TinyFiles) -> None:
    add("mine", tiny_files.target)
    store.touch("mine")
    before = records.load("mine")
    assert attach("mine", tiny_files.draft).former == ()
    assert store.resolve("mine").draft == tiny_files.draft
    assert detach("mine").former == (tiny_files.draft,)
    assert records.load("mine") == before
    assert attach("MINE", tiny_files.draft).pair.draft == tiny_files.draft
    assert tiny_files.draft.exists()


def test_a_former_draft_is_told(tiny_files: TinyFiles, tmp_path: Path) -> None:
    add("mine", tiny_files.target, tiny_files.draft)
    other = write_model(tmp_path / "other.gguf", n_layer=1)
    assert attach("mine", other).former == (tiny_files.draft,)
    assert attach("mine", other).former == ()


def test_what_a_pull_knew_of_the_file_stays_known(tiny_files: TinyFiles, own_home: Path) -> None:
    """The hash was forgotten, so `show --verify` had nothing to compare."""
    size = tiny_files.draft.stat().st_size
    pulled = StoredFile(role="target", path=tiny_files.draft, bytes=size, sha256="a" * 64)
    register("small", target=tiny_files.draft)
    former = records.load("small")
    assert former is not None
    records.save(former.model_copy(update={"files": (pulled,), "source": "hub"}))
    add("mine", tiny_files.target)
    attach("mine", tiny_files.draft)
    record = records.load("mine")
    assert record is not None
    kept = record.first("draft")
    assert kept is not None
    assert (kept.sha256, kept.owned, kept.role) == ("a" * 64, True, "draft")


def test_what_does_not_fit_changes_nothing(tiny_files: TinyFiles) -> None:
    add("mine", tiny_files.target, tiny_files.draft)
    before = records.load("mine")
    for draft, reason in ((tiny_files.stranger, "128 apart"), (tiny_files.target, "itself")):
        with pytest.raises(PairMismatch, match=reason):
            attach("mine", draft)
    assert records.load("mine") == before


def test_without_a_pair_or_a_draft(tiny_files: TinyFiles) -> None:
    add("mine", tiny_files.target)
    with pytest.raises(UsageError, match="has no draft"):
        detach("mine")
    with pytest.raises(NotPulled):
        attach("llama3-70b", tiny_files.draft)
