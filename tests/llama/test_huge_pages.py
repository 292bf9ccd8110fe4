"""Huge pages are a hint: contents and other mappings stay as they are."""

import mmap
import sys

import pytest

from localspec.llama import huge_pages

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="madvise of Linux")

SIZE = 64 << 20


def test_a_large_anonymous_mapping_is_found_and_keeps_its_contents() -> None:
    before = huge_pages.large_mappings()
    with mmap.mmap(-1, SIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        memory.write(b"weights" * 1000)
        new = huge_pages.large_mappings() - before
        assert sum(end - start for start, end in new) >= SIZE
        huge_pages.advise(new)
        assert memory[:7000] == b"weights" * 1000
        assert not any(memory[SIZE - 4096 :])


def test_an_address_that_is_gone_is_no_failure() -> None:
    huge_pages.advise(set())
    huge_pages.advise({(1 << 46, (1 << 46) + SIZE)})
