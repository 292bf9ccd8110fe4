"""Files that the user hands over, and those that can't be taken."""

from pathlib import Path

import pytest

from localspec.chat.attachment import MAX_BYTES, attached, read_text
from localspec.errors import UsageError


def test_text_is_read_with_the_line_ends_of_a_model(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("\ufeffä\r\nb\rc\n".encode())
    assert read_text(str(path)) == "ä\nb\nc\n"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (b" \n\t\n", "is empty"),
        (b"\xff\xfe\x00", "is not UTF-8 text"),
        (b"text\0text", "is not UTF-8 text"),
        (b"x" * (MAX_BYTES + 1), "is larger than 1 MiB"),
    ],
    ids=["nothing", "blank", "binary", "zero", "huge"],
)
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=sentence):
        read_text(str(path))


@pytest.mark.parametrize(
    ("path", "sentence"),
    [(".", "is a directory"), ("nowhere", "There is no nowhere"), ("a\0b", "can't be read|no a")],
)
def test_what_is_no_file_is_refused(path: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        read_text(path)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device here")
def test_a_device_without_an_end_is_refused() -> None:
    with pytest.raises(UsageError, match="is not a file"):
        read_text("/dev/zero")


def test_a_line_of_a_megabyte_is_fine(tmp_path: Path) -> None:
    path = tmp_path / "line"
    path.write_bytes(b"x" * MAX_BYTES)
    assert len(read_text(str(path))) == MAX_BYTES


def test_a_file_is_a_named_block_behind_the_prompt() -> None:
    assert attached("Sort.", "dir/a.py", "b\n") == "Sort.\n\na.py:\n\n```py\nb\n```"
    assert attached("", "a", "b") == "a:\n\n```\nb\n```"
