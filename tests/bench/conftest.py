"""A loaded tiny pair."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from localspec.backends.interface import LoadRequest
from localspec.backends.loading import LoadedPair


@pytest.fixture
def pair(tiny_pair: str) -> Iterator[LoadedPair]:
    with closing(LoadedPair(LoadRequest(tiny_pair, ctx=512, threads=1))) as loaded:
        list(loaded.load())
        yield loaded
