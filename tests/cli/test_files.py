"""Files on the command line: attached to the prompt, or what the reply should repeat."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_run import QUICK, localspec, refused

pytestmark = pytest.mark.usefixtures("tiny_pair")


def test_files_join_the_prompt_and_predictions_do_not(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "b.txt").write_text("never said")

    def report(*more: str) -> dict[str, Any]:
        args = ["run", "tiny", "-p", "Hi", "-n", "16", *QUICK, "--json", "--spec", "predicted"]
        return json.loads(localspec(*args, "--num-draft-tokens", "4", *more).stdout)

    plain = report()
    attached = report("--file", str(tmp_path / "a.py"))
    added = attached["stats"]["num_prompt_tokens"] - plain["stats"]["num_prompt_tokens"]
    assert added == len("\n\na.py:\n\n```py\nx = 1\n```")
    predicted = report("--predict", str(tmp_path / "b.txt"))
    assert predicted["token_ids"] == plain["token_ids"]
    assert predicted["stats"]["num_prompt_tokens"] == plain["stats"]["num_prompt_tokens"]
    assert predicted["stats"]["num_draft_tokens"] > 0 == plain["stats"]["num_draft_tokens"]


@pytest.mark.parametrize("flag", ["--file", "--predict"])
@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "There is no"),
        (b"", "is empty"),
        (b"\x7fELF\0\0", "is not UTF-8 text"),
        (b"x" * (1 << 21), "is larger than 1 MiB"),
    ],
    ids=["missing", "empty", "binary", "huge"],
)
def test_a_file_that_is_no_text(
    flag: str, content: bytes | None, sentence: str, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    if content is not None:
        path.write_bytes(content)
    refused(localspec("run", "tiny", "-p", "Hi", flag, str(path)), 2, sentence)


def test_compare_takes_files_too(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("some text\n")
    flags = ["-n", "8", "--repeats", "1", "--spec", "predicted", "--num-draft-tokens", "3"]
    files = ["--file", str(tmp_path / "a.txt"), "--predict", str(tmp_path / "a.txt")]
    done = localspec("compare", "tiny", "-p", "Hi", *flags, *files, *QUICK[:4], "--json")
    report = json.loads(done.stdout)
    assert report["on"]["num_tokens"] == report["off"]["num_tokens"] == 8
    assert report["same_tokens"]
    refused(localspec("compare", "tiny", "--file", str(tmp_path)), 2, "is a directory")
