"""Themes are files; one that can't be read is a notice."""

from __future__ import annotations

import pytest

from localspec import paths
from localspec.tui.talk import Phase
from localspec.tui.themes import load_themes
from localspec.tui.widgets.status import StatusLine
from tests.tui.conftest import OpenDesk
from tests.tui.scripted import HOLD, ScriptedBackend, burst

SHIPPED = ["localspec-contrast", "localspec-dark", "localspec-light"]


def write(name: str, text: str) -> None:
    paths.user_themes_dir().mkdir(parents=True, exist_ok=True)
    (paths.user_themes_dir() / name).write_text(text, encoding="utf-8")


def test_the_shipped_themes_are_sound() -> None:
    themes = load_themes()
    assert themes.faults == ()
    assert {theme.name for theme in themes.loaded} >= set(SHIPPED)


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


@pytest.mark.parametrize("theme", SHIPPED)
async def test_the_status_can_be_read(open_desk: OpenDesk, theme: str) -> None:
    """On the light theme every label beside a number was white on white."""
    async with open_desk(ScriptedBackend(), theme=theme) as desk:
        await desk.phase(Phase.READY)
        status = desk.chat.query_one(StatusLine)
        style = status._style("label")
        behind = status.background_colors[1]
        difference = abs((behind + style.foreground).brightness - behind.brightness)
        assert difference > 0.3
