"""The README's pictures can be drawn again, and are there."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.tui.pictures import FOLDER, PICTURES, RECORDINGS, Look

README = FOLDER.parents[1] / "README.md"
LARGEST = 150_000
SEEN = {
    "chat": ("Add type hints to all of it.", "tok/s", "accepted", "active"),
    "xray": ("tok/s", "of drafts accepted", "~"),
    "compare": ("off", "on", "2.54x", "same text"),
    "models": ("qwen2.5-coder-1.5b", "on disk", "fits on the GPU", "pulling llama3.1-8b"),
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_drawn_without_a_model(name: str) -> None:
    svg = asyncio.run(PICTURES[name](Look()))
    text = _text(svg)
    assert all(each in text for each in SEEN[name]), text
    assert "url(" not in svg.replace("url(#", ""), "a page shows no picture that fetches a font"


def test_every_picture_of_the_readme_is_there_and_none_is_left_over() -> None:
    shown = re.findall(r"!\[[^]]+\]\(\.github/pictures/(\w+)\.svg\)", README.read_text("utf-8"))
    assert sorted(shown) == sorted(PICTURES) == sorted(file.stem for file in FOLDER.iterdir())


@pytest.mark.parametrize("file", sorted(RECORDINGS.glob("*.jsonl")), ids=lambda file: file.stem)
def test_a_recording_is_small(file: Path) -> None:
    assert file.stat().st_size < LARGEST


def _text(svg: str) -> str:
    parts = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return " ".join("".join(part.itertext()) for part in parts).replace("\xa0", " ")
