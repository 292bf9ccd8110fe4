"""The user's keys: the table [keys] of the config."""

from __future__ import annotations

from typing import Any

import pytest

from localspec import paths
from localspec.settings import load_settings
from localspec.tui.keymap import read_keymap
from localspec.tui.talk import Phase
from tests.tui.conftest import OpenDesk
from tests.tui.scripted import ScriptedBackend, burst, reply


@pytest.mark.parametrize(
    ("table", "keys"),
    [
        ({"chat.xray": "f12"}, {"chat.xray": ["f12"]}),
        ({"chat": {"xray": "f12, CTRL+B"}}, {"chat.xray": ["f12", "ctrl+b"]}),
        ({"chat.xray": ["f12", "f10"]}, {"chat.xray": ["f12", "f10"]}),
        (
            {"chat.xray": "f2", "chat.speculation": "f4"},
            {"chat.xray": ["f2"], "chat.speculation": ["f4"]},
        ),
        (
            {"prompt.send": "ctrl+j", "prompt.newline": "enter"},
            {"prompt.send": ["ctrl+j"], "prompt.newline": ["enter"]},
        ),
        ({"turn.edit": "v", "turn.leave": "esc"}, {"turn.edit": ["v"], "turn.leave": ["escape"]}),
        ({"turn.edit": "?,+"}, {"turn.edit": ["question_mark", "plus"]}),
        ({"sessions.delete": "delete"}, {"sessions.delete": ["delete"]}),
    ],
)
def test_keys_are_taken_as_they_are_written(
    table: dict[str, Any], keys: dict[str, list[str]]
) -> None:
    keymap = read_keymap(table)
    assert (keymap.keys, keymap.faults) == (keys, ())


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        (
            {"chat.xrai": "f12"},
            "[keys] chat.xrai: there is no such action; did you mean chat.xray?",
        ),
        ({"zzz": "f12"}, "`localspec keys` lists them"),
        ({"chat.xray": "ctrl+m"}, "ctrl+m is Enter"),
        ({"chat.xray": "Ctrl+I"}, "is Tab"),
        ({"chat.xray": "ctrl+["}, "is Escape"),
        ({"chat.xray": "f99"}, "there is no key f99"),
        ({"chat.xray": "hyperspace+x"}, "there is no key hyperspace+x"),
        ({"chat.xray": "+"}, "is a character to type"),
        ({"chat.xray": "x"}, "x is a character to type"),
        ({"chat.xray": ""}, "it names no key"),
        ({"chat.xray": 7}, "keys are written as"),
        ({"chat.xray": True}, "keys are written as"),
        ({"chat.xray": [1]}, "keys are written as"),
        ({"chat": "f12"}, "there is no such action"),
        ({"chat.xray": "f2"}, "f2 is chat.speculation's already; chat.xray keeps f4."),
        ({"chat.xray": "ctrl+q"}, "ctrl+q is app.quit's already"),
        ({"chat.xray": "enter"}, "enter is prompt.send's already"),
        ({"turn.edit": "pageup"}, "pageup is chat.page_up's already"),
        ({"chat.xray": "ctrl+k"}, "ctrl+k is the editor's key"),
        ({"sessions.open": "f1"}, "f1 is app.help's already"),
        ({"\x1b[31m": "f12"}, "there is no such action"),
        ({"x" * 10_000: "y" * 10_000}, "there is no such action"),
        ({"chat.xray": "y" * 10_000}, "there is no key"),
    ],
)
def test_what_cannot_be_is_a_sentence_and_the_key_stays(table: dict[str, Any], fault: str) -> None:
    keymap = read_keymap(table)
    assert keymap.keys == {}
    [said] = keymap.faults
    assert fault in said
    assert len(said) < 200


def test_of_two_that_want_one_key_the_first_gets_it() -> None:
    keymap = read_keymap({"chat.xray": "f12", "chat.marks": "f12"})
    assert keymap.keys == {"chat.xray": ["f12"]}
    assert len(keymap.faults) == 1


def test_tables_in_tables_have_an_end() -> None:
    """Thousands of dots in a name ended in a recursion."""
    table: dict[str, Any] = {"a": "f12"}
    for _ in range(5000):
        table = {"a": table}
    assert len(read_keymap(table).faults) == 1


async def test_a_remapped_key_works_and_the_old_one_does_not(open_desk: OpenDesk) -> None:
    paths.config_file().parent.mkdir(parents=True, exist_ok=True)
    paths.config_file().write_text('[keys]\nchat.speculation = "f12"\nhelp.close = "x"\n')
    async with open_desk(ScriptedBackend(), size=(100, 40)) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press("f2")
        assert "Speculation" not in desk.hint
        await desk.pilot.press("f12")
        assert "Speculation: off" in desk.hint
        # The footer, the help and the palette show it.
        await desk.until(lambda: "f12 Speculation" in desk.screen_text)
        await desk.pilot.press("f1")
        await desk.until(lambda: "f12     " in desk.screen_text)
        assert "f2      " not in desk.screen_text
        await desk.pilot.press("x", "ctrl+p")
        await desk.until(lambda: "Speculation        f12" in desk.screen_text)


async def test_send_and_new_line_can_change_places(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(reply(burst("1")))
    keys = {"prompt.send": "ctrl+j", "prompt.newline": "enter"}
    async with open_desk(backend, keys=keys) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press("a", "enter", "b")
        assert desk.prompt.text == "a\nb"
        await desk.pilot.press("ctrl+j")
        await desk.until(lambda: backend.asked)
        assert backend.asked[0][0][-1].content == "a\nb"


async def test_keys_of_every_screen_can_be_remapped(open_desk: OpenDesk) -> None:
    keys = {
        "app.quit": "f12",
        "sessions.close": "f7",
        "settings.cancel": "f7",
        "themes.back": "f7",
        "help.close": "f7",
    }
    async with open_desk(ScriptedBackend(), keys=keys) as desk:
        await desk.phase(Phase.READY)
        for opened in ("ctrl+s", "f8", "f1"):
            await desk.pilot.press(opened, "escape")
            assert desk.app.screen is not desk.chat, opened
            await desk.pilot.press("f7")
            assert desk.app.screen is desk.chat, opened
        await desk.pilot.press("ctrl+q")
        assert not desk.app._exit
        await desk.pilot.press("f12")
        assert desk.app._exit


async def test_a_fault_is_a_notice_without_its_codes(open_desk: OpenDesk) -> None:
    keys = {"[red]\x1b[31mchat.xray": "f12", "chat.marks": "ctrl+m"}
    async with open_desk(ScriptedBackend(), keys=keys) as desk:
        await desk.until(lambda: len(desk.app._notifications) == 2)
        said = " ".join(note.message for note in desk.app._notifications)
        assert "[red][31mchat.xray: there is no such action" in said
        assert "ctrl+m is Enter" in said
        await desk.pilot.press("f3")
        assert desk.hint


def test_the_table_comes_from_the_environment_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCALSPEC_KEYS", '{"chat.xray": "f12"}')
    assert load_settings().keys == {"chat.xray": "f12"}
