"""`localspec quantize`: a whole new file, or nothing touched."""

from pathlib import Path

import pytest

from localspec.models.model_file import read_model
from tests.cli.test_run import localspec, refused
from tests.conftest import TinyFiles


def test_a_file_is_converted(tiny_files: TinyFiles, tmp_path: Path) -> None:
    done = localspec(
        "quantize", str(tiny_files.target), str(tmp_path / "small.gguf"), "--type=q8_0"
    )
    assert done.returncode == 0, done.stderr
    assert read_model(tmp_path / "small.gguf").quant == "Q8_0"
    assert [path.name for path in tmp_path.iterdir()] == ["small.gguf"]


def test_a_pulled_model_is_named_instead_of_a_file(tiny_pair: str, tmp_path: Path) -> None:
    assert localspec("quantize", tiny_pair, str(tmp_path / "x.gguf"), "--type=f16").returncode == 0
    assert read_model(tmp_path / "x.gguf").quant == "F16"


def test_other_files_are_never_written_over(tiny_files: TinyFiles, tmp_path: Path) -> None:
    """A source called DST.partial was overwritten while it was read, other such files removed."""
    source = tmp_path / "x.gguf.partial"
    whole = tiny_files.target.read_bytes()
    source.write_bytes(whole)
    assert (
        localspec("quantize", str(source), str(tmp_path / "x.gguf"), "--type=f16").returncode == 0
    )
    assert source.read_bytes() == whole


def test_what_is_there_is_kept_without_force(tiny_files: TinyFiles, tmp_path: Path) -> None:
    target = tmp_path / "there.gguf"
    target.write_text("mine")
    command = ["quantize", str(tiny_files.target), str(target), "--type", "f16"]
    refused(localspec(*command), 2, "exists")
    assert target.read_text() == "mine"
    assert localspec(*command, "--force").returncode == 0
    assert read_model(target).quant == "F16"


@pytest.mark.parametrize("kind", ["same", "directory", "no folder", "long", "garbage"])
def test_an_impossible_order_is_one_sentence(
    kind: str, tiny_files: TinyFiles, tmp_path: Path
) -> None:
    source = tmp_path / "source.gguf"
    source.write_bytes(tiny_files.target.read_bytes() if kind != "garbage" else b"nonsense")
    target, code, sentence = {
        "same": (source, 2, "the same file"),
        "directory": (tmp_path, 2, "is not a file"),
        "no folder": (tmp_path / "no" / "x.gguf", 2, "is not a directory"),
        "long": (tmp_path / ("x" * 300), 2, "too long"),
        "garbage": (tmp_path / "x.gguf", 1, "source.gguf"),
    }[kind]
    refused(localspec("quantize", str(source), str(target), "--type", "f16"), code, sentence)
