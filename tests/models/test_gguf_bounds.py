"""What one header may cost is bounded: memory, what is read of it, what a refusal says."""

import itertools
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from localspec.errors import BrokenModelFile
from localspec.models.gguf_cursor import HEADER_LIMIT, MAX_TEXT
from localspec.models.gguf_header import parse_header, read_header
from localspec.models.model_file import model_of, shard_names
from localspec.models.vocabulary import read_vocabulary
from tests.models import hostile_gguf
from tests.models.hostile_gguf import F64, LIST, TEXT, U8, Stream, entry, header, tensor, text
from tests.tiny_gguf import byte_vocab, write_vocab

READ = {"many_empty_texts", "long_texts", "everything_at_once"}


@pytest.mark.skipif(sys.platform != "linux", reason="limits a child's memory as Linux does")
def test_no_header_takes_256_mb() -> None:
    """Texts, numbers and keys of one header took gigabytes: 128 MiB of it could be anything."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.models.hostile_gguf"],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr[-2000:]
    became = dict(line.split(": ", 1) for line in done.stdout.splitlines())
    assert set(became) == set(hostile_gguf.CASES)
    assert {case for case, what in became.items() if what == "read"} == READ


@pytest.mark.parametrize("case", ["endless", "skipped_numbers", "large_keys"])
def test_no_more_is_read_than_a_header_can_be(case: str) -> None:
    """A server may send without end, and name any size."""
    stream = Stream(hostile_gguf.CASES[case]())
    with pytest.raises(BrokenModelFile):
        model_of([parse_header(Path("f.gguf"), stream, 2**63)])  # type: ignore[arg-type]
    assert stream.given <= HEADER_LIMIT + 2**21


def refusal(content: bytes) -> str:
    stream = Stream([content])
    with pytest.raises(BrokenModelFile) as caught:
        model_of([parse_header(Path("f.gguf"), stream, len(content))])  # type: ignore[arg-type]
    return str(caught.value)


ENTRY = entry("a", U8, b"\1")
ONE = tensor("t", [1])
LONG = b"x" * (MAX_TEXT - 1) + b"\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (header(0, 2) + ENTRY * 2, "a key that comes twice"),
        (header(2, 0) + ONE * 2, "a tensor that comes twice"),
        (header(1, 0) + tensor("t", [2**64 - 1] * 4), "a tensor of"),
        (header(1, 0) + tensor("t", [2**62, 2]), "a tensor of"),
        (header(1, 0) + tensor("t", [1], 0, 2**63), "a tensor of"),
        (header(1, 0) + tensor("t", [1] * 5), "5 dimensions"),
        (header(0, 1) + entry("general.alignment", U8, b"\0"), "an alignment of 0"),
        (header(0, 1) + entry("general.alignment", U8, b"\x30"), "an alignment of 48"),
        (header(0, 1) + entry("general.alignment", U8, b"\x10"), "an alignment of 16"),
        (header(0, 1) + entry("general.alignment", F64, struct.pack("<d", 32.0)), "of 32.0"),
        (header(0, 1) + entry("general.alignment", TEXT, text(LONG)), "another kind of value"),
        (header(0, 1) + entry("a", LIST, struct.pack("<IQ", LIST, 1)), "a value of type 9"),
        (header(1, 1) + entry("general.architecture", TEXT, text(LONG)) + ONE, "no name"),
        (header(1, 0) + tensor("t", [2**40], 0, 2**40), "names no architecture"),
    ],
    ids=itertools.count(),
)
def test_what_no_file_holds_is_refused_in_a_line(content: bytes, words: str) -> None:
    """A million characters of the file stood in the message, line breaks too."""
    told = refusal(content + bytes(64))
    assert words in told
    assert len(told) < 300
    assert "\n" not in told


def test_a_text_without_a_reader_is_passed_over() -> None:
    """Some files carry a whole tokenizer.json: that is no fault."""
    content = header(1, 3) + hostile_gguf.MODEL[0]
    content += entry("tokenizer.huggingface.json", TEXT, text(bytes(MAX_TEXT + 1)))
    content += entry("general.name", TEXT, text(b"a" * 4096)) + ONE
    found = parse_header(Path("f.gguf"), Stream([content]), len(content))  # type: ignore[arg-type]
    assert found.text("general.name") == "a" * 4096
    assert found.text("tokenizer.huggingface.json") == ""


def test_the_first_difference_of_long_lists(tmp_path: Path) -> None:
    """Lists are compared in pieces, and a difference counts wherever it lies in one."""
    texts = [f"t{number}" for number in range(10_000)]
    one = read_vocabulary(read_header(write_vocab(tmp_path / "a.gguf", texts)))
    assert one
    for place in (5, 4096, 4100, 4101, 9_999):
        changed = [*texts[:place], "other", *texts[place + 1 :]]
        other = read_vocabulary(read_header(write_vocab(tmp_path / "b.gguf", changed)))
        assert other
        assert one.tokens.first_difference(other.tokens, 5) == place
        assert one.tokens.first_difference(other.tokens, place + 1) is None
    shorter = read_vocabulary(read_header(write_vocab(tmp_path / "c.gguf", texts[:7000])))
    assert shorter
    assert one.tokens.first_difference(shorter.tokens, 5) is None


@pytest.mark.parametrize("name", ["m-00001-of-00000.gguf", "m-00003-of-00002.gguf"])
def test_a_part_that_cant_be_is_a_file_of_its_own(name: str) -> None:
    """`-of-00000` made a model of no files, which ended the reader with an IndexError."""
    assert shard_names(name) == [name]


def test_a_name_is_not_a_million_characters(tmp_path: Path) -> None:
    long = {"general.license": "l" * 5000, "general.basename": "b"}
    file = write_vocab(tmp_path / "m.gguf", byte_vocab(), name="n" * 5000, extra_kv=long)
    facts = model_of([read_header(file)])
    assert (len(facts.name), len(facts.license)) == (200, 200)
