"""Which files a pull fetches."""

import pytest

from localspec.errors import NotEnoughSpace, UsageError
from localspec.models import catalog, plan, store
from localspec.models.catalog.entries import Pair
from localspec.models.selection import select
from tests.models.scene import Scene


def pair(name: str) -> Pair:
    found = catalog.find(name)
    assert found is not None
    return found


def test_an_alternative_is_chosen_by_its_quantisation() -> None:
    files = select(pair("llama3-70b"), draft_quant="q8_0").files
    assert [file.quant for file in files] == ["Q4_K_M", "Q8_0"]


def test_an_unlisted_quantisation_lists_the_choices() -> None:
    with pytest.raises(UsageError, match=r"Choose from: Q4_K_M \(807\.7 MB\), Q8_0 \(1\.3 GB\)"):
        select(pair("llama3-70b"), draft_quant="Q2_K")
    with pytest.raises(UsageError, match="exclude each other"):
        select(pair("llama3-70b"), draft_quant="Q8_0", with_draft=False)


def test_no_draft_on_request_needs_no_notice() -> None:
    chosen = select(pair("llama3-70b"), with_draft=False)
    assert [file.role for file in chosen.files] == ["target"]
    assert chosen.notice == ""


def test_a_head_is_not_pulled_as_a_draft() -> None:
    """A head file was offered as a draft model, which can't run as one."""
    chosen = select(pair("gpt-oss-20b"))
    assert [file.role for file in chosen.files] == ["target"]
    assert "prompt lookup" in chosen.notice


def test_a_draft_beside_a_head_is_pulled() -> None:
    chosen = select(pair("gemma4-31b"))
    assert [file.role for file in chosen.files] == ["target", "draft"]
    assert "mtp" not in chosen.files[1].file
    assert chosen.notice == ""


def test_a_split_target_is_all_its_parts() -> None:
    parts = [file.file for file in select(pair("glm-4.5-air")).files if file.role == "target"]
    assert [part[-20:] for part in parts] == ["-00001-of-00002.gguf", "-00002-of-00002.gguf"]
    unlisted = [file for file in select(pair("mistral-large")).files if file.role == "target"]
    assert len(unlisted) == 2


def test_every_entry_can_be_planned() -> None:
    for entry in catalog.pairs():
        chosen = select(entry)
        assert chosen.files[0].role == "target"
        assert chosen.notice or any(file.role == "draft" for file in chosen.files)


def test_a_pull_that_cannot_fit_is_refused_before_any_byte(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "free_bytes", lambda path: 1000)
    with pytest.raises(NotEnoughSpace, match=r"tiny needs .* and the disk has 1\.0 kB free"):
        scene.pull()
    assert not [entry for entry in scene.stub.log if entry[0] == "GET"]
    assert store.installed() == []
    scene.pull(force=True)
    assert store.resolve("tiny")
