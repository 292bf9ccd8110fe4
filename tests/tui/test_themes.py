"""Themes are files; one that can't be read is a notice."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest
from textual.color import Color

from localspec import paths
from localspec.chat.events import Ready
from localspec.tui import app
from localspec.tui.talk import Phase
from localspec.tui.themes import load_themes
from tests.tui.colour_vision import contrast, difference
from tests.tui.conftest import Desk, OpenDesk
from tests.tui.scripted import HOLD, ScriptedBackend, burst

SHIPPED = sorted(file.stem for file in paths.shipped_themes_dir().glob("*.toml"))
ORIGINS = ("draft", "suffix", "predicted")
COLOUR_BLIND = {
    "localspec-red-green-dark": ("protanopia", "deuteranopia"),
    "localspec-red-green-light": ("protanopia", "deuteranopia"),
    "localspec-blue-yellow": ("tritanopia",),
}


def write(name: str, text: str) -> None:
    paths.user_themes_dir().mkdir(parents=True, exist_ok=True)
    (paths.user_themes_dir() / name).write_text(text, encoding="utf-8")


def test_the_shipped_themes_are_sound() -> None:
    themes = load_themes()
    assert themes.faults == ()
    assert {theme.name for theme in themes.loaded} == set(SHIPPED)
    assert len(SHIPPED) >= 8
    assert {theme.dark for theme in themes.loaded} == {True, False}


def test_a_theme_of_the_user_replaces_one_of_the_same_name() -> None:
    write("localspec-dark.toml", 'primary = "#123456"')
    [dark] = [theme for theme in load_themes().loaded if theme.name == "localspec-dark"]
    assert dark.primary == "#123456"


@pytest.mark.parametrize(
    "text",
    [
        "primary =",
        "",
        'primary = "no colour"',
        "primary = 7",
        'primary = "#123456"\nfont = "Comic Sans"',
        'primary = "#123456"\ndark = "yes"',
        'primary = "#123456"\ndraft = "greenish"',
        'primary = "#123456"\nvariables = {x = "{"}',
        "\udcff",
    ],
)
async def test_a_broken_theme_is_a_notice(open_desk: OpenDesk, text: str) -> None:
    write("broken.toml", "")
    (paths.user_themes_dir() / "broken.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    async with open_desk(ScriptedBackend(), theme="broken") as desk:
        await desk.phase(Phase.READY)
        said = [note.message for note in desk.app._notifications]
        assert any("broken.toml was left out" in sentence for sentence in said)
        assert any("There is no theme broken" in sentence for sentence in said)
        assert desk.app.theme == "localspec-dark"


@pytest.mark.parametrize("theme", SHIPPED)
async def test_a_theme_can_be_chosen_and_changed_in_the_middle(
    open_desk: OpenDesk, theme: str
) -> None:
    async with open_desk(ScriptedBackend([burst("a", "b"), HOLD]), theme=theme) as desk:
        assert desk.app.theme == theme
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.until(lambda: "ab" in desk.screen_text)
        desk.app.theme = SHIPPED[0]
        await desk.pilot.pause()


EVERYTHING = """Words, *soft* and **hard**, `code`, [a link](https://example.org).

# A title

## And one below

> quoted

- a list
1. with numbers

| a | table |
|---|---|
| of | cells |

```python
import os  # a comment
@decorated
class Thing(Exception):
    text: str = f"{1 + 2.5} of {None}"
    def call(self): return not True
```

"""


@pytest.mark.parametrize("theme", SHIPPED)
async def test_all_that_is_written_can_be_read(open_desk: OpenDesk, theme: str) -> None:
    """On the light theme labels were white on white; 4.5 to 1 is what WCAG asks of text."""
    last = [burst(f" {source}", " own", source=source, rejected=[" no"]) for source in ORIGINS]
    ready = Ready("pair", "target", "draft", "CPU", 8192, 0.1, "", True, 0.1, 1_900_000_000)
    backend = ScriptedBackend([burst(EVERYTHING), *last, HOLD], loading=[ready])
    async with open_desk(backend, theme=theme, size=(110, 60)) as desk:
        await desk.phase(Phase.READY)
        await desk.send("A question")
        desk.clock.now += 1
        await desk.until(lambda: "predicted own" in desk.screen_text)
        await desk.until(lambda: "def call" in desk.screen_text)
        faint = faint_text(desk)
        desk.prompt.load_text("written")
        for keys in (["f4", "f4"], ["f1"], ["escape", "ctrl+p"]):
            await desk.pilot.press(*keys)
            await desk.pilot.pause(0.2)
            faint |= faint_text(desk)
        assert faint == {}


def faint_text(desk: Desk) -> dict[str, tuple[str, float]]:
    """Each text whose colour is too near to that behind it."""
    found = {}
    # Behind a dialogue all is dim.
    seen = (
        desk.app.screen.children[0].region if desk.app.screen.is_modal else desk.app.screen.region
    )
    strips = desk.app.screen._compositor.render_strips()
    for strip in strips[seen.y : seen.bottom]:
        for text, style, _ in strip.crop(seen.x, seen.right):
            if style is None or not any(char.isalnum() for char in text):
                continue
            front, behind = style.color, style.bgcolor
            assert front is not None and behind is not None
            assert front.triplet is not None and behind.triplet is not None
            if (ratio := contrast(front.triplet, behind.triplet)) < 4.5:
                found[text.strip()] = (f"{front.triplet.hex} on {behind.triplet.hex}", ratio)
    return found


@pytest.mark.parametrize("theme", COLOUR_BLIND)
async def test_the_eyes_that_a_theme_is_for_tell_origins_apart(
    open_desk: OpenDesk, theme: str
) -> None:
    async with open_desk(ScriptedBackend(), theme=theme) as desk:
        variables = desk.app.get_css_variables()
    colours = [variables["foreground"]]
    colours += [variables[f"origin-{name}"] for name in (*ORIGINS, "rejected")]
    for first, second in combinations(map(Color.parse, colours), 2):
        for eyes in ("normal", *COLOUR_BLIND[theme]):
            assert difference(first.rgb, second.rgb, eyes) > 20


def test_no_two_origins_differ_by_colour_alone() -> None:
    """For every other eye, and on a screen without colours: see the marks of the tail."""
    rules = (Path(app.__file__).parent / "chat.tcss").read_text("utf-8")
    styles = re.findall(r"marked--(?:draft|suffix|predicted|rejected) .*text-style: (.*);", rules)
    assert len(set(styles)) == 4
