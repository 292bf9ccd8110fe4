"""Which drafts are found on the disk and in the catalog, and why others are refused."""

from pathlib import Path

import numpy as np
import pytest

from localspec import paths
from localspec.engine.costs import CostTable
from localspec.errors import BrokenModelFile, LocalspecError, UnknownModel
from localspec.models.adding import add
from localspec.models.drafts.candidate import Found
from localspec.models.drafts.choice import best_draft, choose
from localspec.models.drafts.gain import ANY_MACHINE, MEMORY_BOUND, Machine
from localspec.models.drafts.search import Looking, search
from localspec.models.drafts.target import find_target
from localspec.models.model_file import read_model
from tests.models.drafts.conftest import Install, entry
from tests.tiny_gguf import byte_vocab, write_model, write_vocab


def searched(text: str, machine: Machine = ANY_MACHINE) -> Found:
    looking = search(find_target(text), machine)
    while True:
        try:
            assert isinstance(next(looking), Looking)
        except StopIteration as end:
            found: Found = end.value
            return found


@pytest.fixture
def target(own_catalog: Install, tmp_path: Path) -> Path:
    return write_model(tmp_path / "models" / "big.gguf", n_layer=12)


def test_beside_the_target_the_smallest_that_fits_is_first(target: Path) -> None:
    write_model(target.with_name("middle.gguf"), n_layer=4)
    write_model(target.with_name("small.gguf"), n_layer=1)
    found = searched(str(target))
    assert [each.name for each in found.fitting] == ["small", "middle"]
    assert all(each.basis == "header" and each.path for each in found.fitting)
    assert found.refused == found.others == ()


def test_every_place_of_the_disk_is_looked_at(target: Path, own_home: Path, tmp_path: Path) -> None:
    write_model(paths.models_dir() / "ours.gguf", n_layer=1)
    snapshot = tmp_path / "hub" / "models--maker--repo" / "snapshots" / "c" / "sub"
    write_model(snapshot / "cached.gguf", n_layer=2)
    add("mine", write_model(tmp_path / "elsewhere" / "added.gguf", n_layer=3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
        names = [each.name for each in searched(str(target)).fitting]
    assert names == ["ours", "cached", "added"]


def test_refusals_say_why(target: Path) -> None:
    folder = target.parent
    other = byte_vocab()
    other[100] = "other"
    weights = {"blk.0.x": np.zeros((4, 8), np.float32)}
    vocabulary = {"bos": 256, "eos": 258, "add_bos": False, "pre": "qwen2", "tensors": weights}
    write_vocab(folder / "differs.gguf", other, **vocabulary)  # type: ignore[arg-type]
    write_vocab(folder / "spm.gguf", byte_vocab(), type="llama", tensors=weights)
    write_model(folder / "huge.gguf", n_layer=20)
    write_model(folder / "wide.gguf", n_vocab=700, n_layer=1)
    (folder / "notes.gguf").write_text("no model")
    write_vocab(folder / "mmproj.gguf", [], arch="clip")
    found = searched(str(target))
    reasons = {each.name: each.reason for each in (*found.refused, *found.others)}
    assert "token 100" in reasons["differs.gguf"]
    assert '"other" in the draft' in reasons["differs.gguf"]
    assert "tokenizer types differ" in reasons["spm.gguf"]
    assert "larger than the target" in reasons["huge.gguf"]
    assert "more than 128 apart" in reasons["wide.gguf"]
    assert reasons["notes.gguf"] == "not a GGUF file"
    assert reasons["mmproj.gguf"].startswith("an image projector")
    assert found.fitting == ()


def test_what_cannot_pay_is_refused_with_the_share(target: Path) -> None:
    write_model(target.with_name("nearly.gguf"), n_layer=11)
    found = searched(str(target))
    assert found.fitting == ()
    assert "can't pay" in found.refused[0].reason
    assert "% of the target's bytes" in found.refused[0].reason


def test_a_table_of_this_machine_decides(target: Path) -> None:
    """A pair that was timed here was ranked by its size all the same."""
    small = write_model(target.with_name("small.gguf"), n_layer=1)
    slow = CostTable({1: 1.0, 33: 1.0}, {1: 0.5}, 33)
    machine = Machine(MEMORY_BOUND, "", lambda one, other: slow if other == small else None)
    gain = searched(str(target), machine).fitting[0].gain
    assert gain is not None and gain.is_measured
    assert searched(str(target)).fitting[0].gain != gain


def test_the_pairs_own_draft_is_shown_even_if_it_loses(target: Path) -> None:
    add("mine", target, write_model(target.with_name("nearly.gguf"), n_layer=11))
    (own,) = searched("mine").fitting
    assert own.in_use
    assert own.gain is not None and not own.gain.pays


def test_one_file_is_read_once_however_often_it_is_named(target: Path) -> None:
    small = write_model(target.with_name("small.gguf"), n_layer=1)
    add("one", small)
    add("two", target, small)
    assert [each.name for each in searched(str(target)).fitting] == ["small"]


def test_a_link_that_leads_nowhere_is_passed_over(target: Path) -> None:
    target.with_name("gone.gguf").symlink_to(target.with_name("nothing"))
    assert searched(str(target)).others == ()


def test_an_entry_that_is_not_pulled(own_catalog: Install) -> None:
    """By the catalog: its own draft, then the family's; never a model of another line."""
    own_catalog(
        [
            entry("own", "Line1-40B", "Line1-1B"),
            entry("kin", "Line1-50B", "Line1-2B"),
            entry("other", "Line2-40B", "Line2-1B"),
            entry("trained", "Line1-60B", "Line1-DRAFT-1B"),
        ]
    )
    found = searched("own")
    assert [(each.name, each.basis) for each in found.fitting] == [
        ("Line1-1B", "verified"),
        ("Line1-2B", "family"),
    ]
    choice = choose(found)
    assert choice is not None
    assert [each.file for each in choice.wanted] == ["Line1-1B.gguf"]
    assert "Line1-1B" in choice.reason
    assert choose(found, on_disk_only=True) is None


def test_a_file_whose_name_tells_its_family_is_offered_the_catalogs_drafts(
    own_catalog: Install, tmp_path: Path
) -> None:
    pair = entry("own", "Line1-40B", "Line1-1B")
    pair["draft"] |= {"bytes": 1000, "params_b": 2e-6}
    own_catalog([pair])
    path = write_model(tmp_path / "Line1-7B-finetune.gguf")
    choice = best_draft(read_model(path))
    assert choice is not None
    assert (choice.candidate.name, choice.candidate.basis) == ("Line1-1B", "family")
    assert best_draft(read_model(write_model(tmp_path / "Line2-7B.gguf"))) is None


def test_targets_that_there_are_not(own_catalog: Install, tmp_path: Path) -> None:
    for text, kind in [
        ("nothing", UnknownModel),
        ("nothing.gguf", BrokenModelFile),
        (str(tmp_path), UnknownModel),
        ("x" * 5000, UnknownModel),
        ("a\0b", UnknownModel),
        ("~nobody-at-all/m", UnknownModel),
    ]:
        with pytest.raises(LocalspecError) as caught:
            find_target(text)
        assert type(caught.value) is kind, text
