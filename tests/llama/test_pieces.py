"""What may follow is found without asking about the whole vocabulary, and is exactly that."""

import numpy as np
import pytest

from localspec.engine.distribution import Ids, Mask
from localspec.llama.pieces import Pieces, Search, unfinished

ALPHABET = 'abcz09 {}"é日'


def vocabulary(seed: int) -> list[bytes]:
    """Whole and broken pieces, doubles, and some without text."""
    rng = np.random.default_rng(seed)
    pieces = [bytes([byte]) for byte in range(256)] + [b"", b"\0a", "é".encode(), "日".encode()]
    for _ in range(1500):
        text = "".join(rng.choice(list(ALPHABET), rng.integers(1, 6))).encode()
        cut = rng.integers(0, 3)
        pieces.append(text[cut:] if rng.random() < 0.1 else text[: len(text) - cut] or text)
    return pieces


class Prefixes:
    """A grammar of characters: those of `texts` in their places, as kinds of characters."""

    def __init__(self, pieces: list[bytes], places: list[str]) -> None:
        self.pieces, self.places = pieces, places
        self.asked = 0
        chars = {ord(char) for place in places for char in place}
        self.bounds = sorted(chars | {char + 1 for char in chars})

    def __call__(self, ids: Ids) -> Mask:
        self.asked += len(ids)
        return np.array([self.fits(self.pieces[token]) for token in ids], np.bool_)

    def fits(self, piece: bytes) -> bool:
        if piece[:1] in (b"", b"\0"):
            return False
        whole = len(piece) - len(unfinished(piece))
        try:
            text = piece[:whole].decode()
        except UnicodeDecodeError:
            return False
        if len(text) + (whole < len(piece)) > len(self.places):
            return False
        if any(char not in place for char, place in zip(text, self.places, strict=False)):
            return False
        rest = piece[whole:]
        return not rest or any(c.encode().startswith(rest) for c in self.places[len(text)])


@pytest.mark.parametrize("seed", range(8))
def test_it_finds_what_asking_about_everything_finds(seed: int) -> None:
    pieces = vocabulary(seed)
    forest = Pieces(pieces)
    rng = np.random.default_rng(seed)
    for _ in range(12):
        places = [
            "".join(rng.choice(list(ALPHABET), rng.integers(1, 5)))
            for _ in range(rng.integers(1, 6))
        ]
        ask = Prefixes(pieces, places)
        expected = np.flatnonzero(ask(np.arange(len(pieces))))
        ask.asked = 0
        assert Search(forest, ask.bounds).run(ask, inside=False).tolist() == expected.tolist()
        assert ask.asked < len(pieces)


def test_where_little_may_follow_little_is_asked() -> None:
    pieces = vocabulary(0)
    ask = Prefixes(pieces, ["{", '"'])
    Search(Pieces(pieces), ask.bounds).run(ask, inside=False)
    assert ask.asked < 0.15 * len(pieces)


@pytest.mark.parametrize(
    ("text", "tail"), [(b"", b""), (b"a", b""), ("é".encode(), b""), (b"a\xc3", b"\xc3")]
    + [("日".encode()[:n], "日".encode()[:n] if n < 3 else b"") for n in (1, 2, 3)],
)  # fmt: skip
def test_the_part_of_a_character_at_the_end(text: bytes, tail: bytes) -> None:
    assert unfinished(text) == tail
