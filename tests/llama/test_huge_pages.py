"""Huge pages are a hint: contents and other mappings stay as they are."""

import mmap
import sys

import pytest

from localspec.llama.huge_pages import HugePages, large_mappings

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="madvise of Linux")

SIZE = 64 << 20


def test_new_large_memory_is_found_once_and_keeps_its_contents() -> None:
    pages = HugePages()
    assert pages.advise_new() == 0
    with mmap.mmap(-1, SIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        memory.write(b"weights" * 1000)
        assert pages.advise_new() == 1
        assert pages.advise_new() == 0
        assert memory[:7000] == b"weights" * 1000
        assert not any(memory[SIZE - 4096 :])


def test_small_and_shared_memory_is_left_alone() -> None:
    before = large_mappings()
    with mmap.mmap(-1, 1 << 20), mmap.mmap(-1, SIZE, flags=mmap.MAP_SHARED):
        assert large_mappings() == before
