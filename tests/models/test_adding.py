"""A user's own files under a name: which names and paths are refused."""

import os
import sys
from pathlib import Path

import pytest

from localspec.errors import UsageError
from localspec.models import store
from localspec.models.adding import add
from tests.tiny_gguf import write_model


def test_a_name_that_was_added_is_not_replaced_unasked(tmp_path: Path) -> None:
    """Adding under a name that was added before silently replaced that pair."""
    first = write_model(tmp_path / "first.gguf")
    second = write_model(tmp_path / "second.gguf", n_layer=1)
    add("mine", first)
    with pytest.raises(UsageError, match="was added before"):
        add("MINE", second)
    assert store.resolve("mine").target == first
    assert add("mine", second, force=True).target == second


def test_a_pair_whose_file_is_gone_can_be_added_again(tmp_path: Path) -> None:
    """It is what a pair with a moved file is told to do."""
    first = write_model(tmp_path / "first.gguf")
    add("mine", first)
    assert add("mine", first.rename(tmp_path / "moved.gguf")).target.name == "moved.gguf"


def test_a_long_name(tmp_path: Path) -> None:
    """A name longer than a file's name may be was an unexpected failure."""
    target = write_model(tmp_path / "m.gguf")
    assert add("a" * 100, target)
    with pytest.raises(UsageError, match="at most 100 characters"):
        add("a" * 300, target)


@pytest.mark.skipif(sys.platform != "linux", reason="needs file names of any bytes")
def test_a_path_that_is_no_text(tmp_path: Path) -> None:
    """A file name that isn't UTF-8 was an unexpected failure of the record's writer."""
    path = tmp_path / os.fsdecode(b"m\xff.gguf")
    write_model(tmp_path / "m.gguf").rename(path)
    with pytest.raises(UsageError, match="not UTF-8"):
        add("mine", path)
