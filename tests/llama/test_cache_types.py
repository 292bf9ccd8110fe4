"""What llama.cpp refuses or ends the process on is refused with a sentence before."""

import pytest

from localspec.errors import UsageError
from localspec.llama.cache_types import TYPES, CacheFormat, refuse_unfit
from localspec.settings import CACHE_TYPES


def test_every_name_of_the_settings_has_a_type() -> None:
    assert tuple(TYPES) == CACHE_TYPES


@pytest.mark.parametrize("kind", CACHE_TYPES)
def test_a_head_of_whole_blocks_takes_every_type(kind: str) -> None:
    refuse_unfit(CacheFormat(kind, kind), "m.gguf", {64, 128}, equal_types=True)


@pytest.mark.parametrize(
    ("cache", "dims", "equal", "sentence"),
    [
        (CacheFormat("q8_0", "f16"), {64, 48}, False, "takes 32 numbers at a time, and m.gguf has"),
        (CacheFormat("f16", "q4_0"), {80}, False, "heads of 80"),
        (CacheFormat("f16", "q8_0", "off"), {64}, False, "need flash attention"),
        (CacheFormat("q8_0", "f16"), {64}, True, "keeps keys and values together"),
        (CacheFormat("q3_0", "f16"), {64}, False, "no cache type 'q3_0'"),
    ],
)
def test_what_cannot_be_is_refused(
    cache: CacheFormat, dims: set[int], equal: bool, sentence: str
) -> None:
    with pytest.raises(UsageError, match=sentence):
        refuse_unfit(cache, "m.gguf", dims, equal)


def test_quantised_keys_need_no_flash_attention() -> None:
    refuse_unfit(CacheFormat("q8_0", "f16", "off"), "m.gguf", {64}, equal_types=False)


def test_bytes_are_of_a_key_and_a_value() -> None:
    assert CacheFormat().element_bytes == 4.0
    assert CacheFormat("q8_0", "f16").element_bytes == 34 / 32 + 2
