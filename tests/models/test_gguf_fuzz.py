"""Forty thousand damaged headers: each is read or refused, and takes no more than its own size."""

import faulthandler
import io
import random
import struct
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from localspec.errors import BrokenModelFile
from localspec.models.compat import broken_rule
from localspec.models.gguf_cursor import Cursor, StringArray
from localspec.models.gguf_header import parse_header, read_header
from localspec.models.model_file import ModelFacts, model_of
from tests.tiny_gguf import byte_vocab, write_vocab

MUTANTS = 40_000
BOUNDARIES = (
    *range(14), 31, 32, 127, 128, 255, 256, 4095, 4096, 4097, 2**15, 2**16 - 1, 2**16, 2**20,
    2**20 + 1, 2**21, 2**21 + 1, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**60, 2**61, 2**62,
    2**63 - 1, 2**63, 2**64 - 8, 2**64 - 1,
)  # fmt: skip
HANG_S = 120
"""The whole run takes a few seconds; a parser that loops ends the process with its traceback."""


@dataclass(frozen=True)
class Seed:
    content: bytes
    fields: tuple[tuple[int, int], ...]
    """Place and width of every number that the reader takes from it."""


class CountedFile(io.BytesIO):
    """Counts what is asked of it: a reader that never ends would ask without end."""

    reads = 0

    def read(self, size: int | None = -1) -> bytes:
        self.reads += 1
        assert self.reads < 100, "the reader asks for more and more"
        return super().read(size)


def layers(number: int, name: str = "attn_norm") -> dict[str, np.ndarray]:
    return {f"blk.{each}.{name}.weight": np.ones(4, np.float32) for each in range(number)}


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> list[Seed]:
    folder = tmp_path_factory.mktemp("seeds")
    tokens = byte_vocab()[:60]
    sizes = {"context_length": 512, "embedding_length": 4, "attention.head_count": 2}
    llama = {f"llama.{key}": value for key, value in sizes.items()}
    mamba = {f"mamba.{key}": value for key, value in sizes.items() if "head" not in key}
    files = [
        write_vocab(
            folder / "plain.gguf", tokens, bos=1, eos=2, add_bos=True, chat_template="{{ a }}",
            extra_kv={**llama, "llama.block_count": 2, "general.license": "mit"}, tensors=layers(2),
        ),
        write_vocab(
            folder / "split-00001-of-00002.gguf", tokens, type="llama", add_eos=True,
            extra_kv={**llama, "llama.block_count": 3, "split.no": 0, "split.count": 2}, tensors={},
        ),
        write_vocab(
            folder / "recurrent.gguf", tokens, arch="mamba", bos=99,
            extra_kv={**mamba, "mamba.ssm.conv_kernel": 4, "mamba.block_count": 2},
            tensors=layers(2, "ssm_in"),
        ),
        write_vocab(
            folder / "lists.gguf", tokens, pre="llama-bpe",
            extra_kv={
                **llama, "llama.block_count": 2, "llama.attention.head_count": [4, 2],
                "llama.attention.head_count_kv": [1, 2], "general.tags": ["a", "b", ""],
                "llama.scale": [1.5, 2.5], "general.alignment": 64, "long": [1] * 4100,
            },
            tensors=layers(2) | layers(1, "nextn"),
        ),
    ]  # fmt: skip
    return [seed_of(file) for file in files]


def seed_of(file: Path) -> Seed:
    content, fields = file.read_bytes(), list[tuple[int, int]]()
    reading = Cursor.numbers

    def watched(self: Cursor, code: str, count: int) -> tuple[int | float | bool, ...]:
        width = struct.calcsize("<" + code)
        fields.extend((self.position + place * width, width) for place in range(count))
        return reading(self, code, count)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Cursor, "numbers", watched)
        found = read_header(file)
    # The lengths inside a list of texts are read without it.
    for value in found.values.values():
        if isinstance(value, StringArray):
            fields += [(value._begin(index), 8) for index in range(min(len(value), 4))]
    return Seed(content, tuple(fields))


def mutants(seeds: list[Seed], chance: random.Random) -> Iterator[bytes]:
    ways = (bits, field, several_fields, truncated, spliced, doubled, inserted, removed)
    for number in range(MUTANTS):
        seed = seeds[number % len(seeds)]
        content = ways[number // len(seeds) % len(ways)](seed, seeds, chance)
        # Faults meet: half of them are damaged once more.
        yield bits(Seed(content, ()), seeds, chance) if chance.random() < 0.3 else content


def bits(seed: Seed, _: list[Seed], chance: random.Random) -> bytes:
    bad = bytearray(seed.content)
    for _ in range(chance.randint(1, 8) if bad else 0):
        bad[chance.randrange(len(bad))] ^= 1 << chance.randrange(8)
    return bytes(bad)


def field(seed: Seed, _: list[Seed], chance: random.Random) -> bytes:
    place, width = chance.choice(seed.fields)
    value = chance.choice((*BOUNDARIES, len(seed.content), len(seed.content) - place))
    new = (value % 256**width).to_bytes(width, "little")
    return seed.content[:place] + new + seed.content[place + width :]


def several_fields(seed: Seed, seeds: list[Seed], chance: random.Random) -> bytes:
    for _ in range(chance.randint(2, 5)):
        seed = Seed(field(seed, seeds, chance), seed.fields)
    return seed.content


def truncated(seed: Seed, _: list[Seed], chance: random.Random) -> bytes:
    return seed.content[: chance.randrange(len(seed.content))]


def spliced(seed: Seed, seeds: list[Seed], chance: random.Random) -> bytes:
    """The start of one and the end of another, both cut where a number begins."""
    other = chance.choice(seeds)
    return (
        seed.content[: chance.choice(seed.fields)[0]]
        + other.content[chance.choice(other.fields)[0] :]
    )


def doubled(seed: Seed, _: list[Seed], chance: random.Random) -> bytes:
    start, end = sorted(chance.choice(seed.fields)[0] for _ in range(2))
    return seed.content[:end] + seed.content[start:]


def inserted(seed: Seed, _: list[Seed], chance: random.Random) -> bytes:
    place = chance.randrange(len(seed.content))
    return seed.content[:place] + chance.randbytes(chance.randint(1, 16)) + seed.content[place:]


def removed(seed: Seed, _: list[Seed], chance: random.Random) -> bytes:
    start = chance.randrange(len(seed.content))
    return seed.content[:start] + seed.content[start + chance.randint(1, 64) :]


def model(content: bytes, size: int, later: bytes) -> ModelFacts:
    first = parse_header(Path("m.gguf"), CountedFile(content), size)
    parts = [first]
    if first.integer("split.count") == 2:
        parts.append(parse_header(Path("n.gguf"), CountedFile(later), len(later)))
    assert first.num_parameters >= 0
    return model_of(parts)


def test_every_damaged_header_is_read_or_refused(seeds: list[Seed]) -> None:
    """Anything but a BrokenModelFile would be a crash of pull, list, show and chat."""
    chance = random.Random(20_001)
    good = model(seeds[0].content, len(seeds[0].content), b"").vocabulary
    became: Counter[str] = Counter()
    faulthandler.dump_traceback_later(HANG_S, exit=True)
    try:
        for number, content in enumerate(mutants(seeds, chance)):
            size = chance.choice((*[len(content)] * 9, len(content) + 1, 2**63, 0))
            if number % 40 == 0:
                tracemalloc.start()
            try:
                facts = model(content, size, chance.choice(seeds).content)
                became[broken_rule(good, facts.vocabulary) and "another vocabulary"] += 1
            except BrokenModelFile as error:
                told = str(error)
                assert "\n" not in told and len(told) < 400, told
                became[told.partition(" ")[2][:30]] += 1
            if number % 40 == 0:
                assert tracemalloc.get_traced_memory()[1] < 8 * 2**20
                tracemalloc.stop()
    finally:
        faulthandler.cancel_dump_traceback_later()
        tracemalloc.stop()
    assert became.total() == MUTANTS
    # The run shows something only if it reaches every depth.
    assert became[""] > 100
    assert became["another vocabulary"] > 100
    assert len(became) > 20
