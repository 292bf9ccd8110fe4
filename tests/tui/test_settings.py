"""The settings panel and presets: in force from the next reply on, all or nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from localspec import paths
from localspec.backends.interface import Backend
from localspec.chat.history import History
from localspec.settings import load_settings
from localspec.tui.app import ChatApp
from localspec.tui.screens.settings import SettingsScreen
from localspec.tui.talk import Phase
from tests.tui.conftest import Clock, Desk, OpenDesk
from tests.tui.scripted import ScriptedBackend, burst, reply


async def opened(desk: Desk, how: str = "f8") -> SettingsScreen:
    await desk.phase(Phase.READY)
    await (desk.send(how) if how.startswith("/") else desk.pilot.press(how))
    await desk.until(lambda: isinstance(desk.app.screen, SettingsScreen))
    assert isinstance(desk.app.screen, SettingsScreen)
    return desk.app.screen


def fill(screen: SettingsScreen, **texts: str) -> None:
    for name, text in texts.items():
        screen.query_one(f"#field-{name}", Input).value = text


@pytest.mark.parametrize("how", ["f8", "/settings"])
async def test_the_panel_sets_the_next_reply(open_desk: OpenDesk, how: str) -> None:
    backend = ScriptedBackend(reply(burst("1")))
    async with open_desk(backend) as desk:
        screen = await opened(desk, how)
        fill(screen, temperature="0", top_k="5", max_tokens="64", spec="suffix")
        fill(screen, num_draft_tokens="7", repeat_last_n="-1")
        screen.query_one("#system", TextArea).text = "Be brief.\nVery.\n"
        await desk.pilot.press("enter")
        await desk.until(lambda: "hold from the next reply" in desk.hint)
        await desk.ask("hi")
        [(messages, request)] = backend.asked
        assert messages[0].content == "Be brief.\nVery."
        sampling = request.sampling
        assert (sampling.temperature, sampling.top_k, sampling.max_tokens) == (0, 5, 64)
        assert (request.spec, request.num_draft_tokens, sampling.repeat_last_n) == ("suffix", 7, -1)
        assert backend.num_loads == 1


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("temperature", "hot", "temperature must be a number, not hot."),
        ("temperature", "nan", "temperature must be between 0 and 10"),
        ("temperature", "1e999", "temperature must be between 0 and 10"),
        ("top_k", "1.5", "top_k must be a whole number, not 1.5."),
        ("top_k", "", "top_k must be a whole number, not nothing."),
        ("top_k", "9" * 5000, "top_k must be a whole number"),
        ("max_tokens", "0", "max-tokens must be 1 or more"),
        ("spec", "[b]", "not [b]."),
        ("num_draft_tokens", "33", "auto or a number from 1 to 32"),
        ("ctx", "1", "The context must be 256 to"),
        ("ctx", "9" * 20, "The context must be 256 to"),
    ],
)
async def test_one_bad_field_changes_nothing(
    open_desk: OpenDesk, field: str, text: str, said: str
) -> None:
    backend = ScriptedBackend(reply(burst("1")))
    async with open_desk(backend, size=(100, 40)) as desk:
        screen = await opened(desk)
        fill(screen, min_p="0.5", top_p="0.5")
        fill(screen, **{field: text})
        await desk.pilot.press("enter")
        await desk.until(lambda: said in desk.screen_text)
        assert desk.app.screen is screen
        await desk.pilot.press("escape")
        await desk.ask("hi")
        assert backend.asked[0][1].sampling.min_p == 0.05
        assert backend.num_loads == 1


async def test_escape_leaves_all_as_it_was(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(reply(burst("1")))
    async with open_desk(backend, system="Be brief.", temperature=0.123456789) as desk:
        screen = await opened(desk)
        fill(screen, top_k="5")
        screen.query_one("#system", TextArea).text = "Other."
        await desk.pilot.press("escape")
        await opened(desk)
        await desk.pilot.press("enter")
        await desk.ask("hi")
        assert backend.asked[0][1].sampling.temperature == 0.123456789
        assert backend.asked[0][1].sampling.top_k == 40
        assert backend.asked[0][0][0].content == "Be brief."


async def test_another_context_loads_the_model_again(history: History) -> None:
    loads: list[int | None] = []

    def make_backend(name: str, ctx: int | None = None) -> Backend:
        loads.append(ctx)
        return ScriptedBackend(reply(burst("1")))

    clock = Clock()
    app = ChatApp(make_backend, "pair", history, load_settings(), None, clock)
    async with app.run_test(size=(100, 40)) as pilot:
        desk = Desk(app, pilot, clock)
        screen = await opened(desk)
        fill(screen, ctx="4096")
        await desk.pilot.press("enter")
        await desk.until(lambda: loads == [None, 4096])
        await desk.phase(Phase.READY)
        await desk.pilot.press("f5")
        await desk.until(lambda: loads == [None, 4096, 4096])


async def test_k_sets_the_drafts_length(open_desk: OpenDesk) -> None:
    backend = ScriptedBackend(reply(burst("1")), reply(burst("2")))
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("/k")
        assert "The draft's length is automatic; /k N sets it" in desk.hint
        await desk.send("/k 5")
        assert "5 tokens are drafted in a round" in desk.hint
        await desk.ask("one")
        await desk.send("/k auto")
        await desk.ask("two")
        assert [request.num_draft_tokens for _, request in backend.asked] == [5, None]


async def test_a_preset_is_kept_and_taken_again(open_desk: OpenDesk) -> None:
    system = 'Say "hi" \\ in\n\ttwo 🙂 lines\x7f.'
    backend = ScriptedBackend(reply(burst("1")))
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        desk.chat._dialogue.system = system
        for line in ("/temp 0.25", "/k 4", "/spec suffix", "/preset save code.v1"):
            await desk.send(line)
        assert "Saved" in desk.hint
        for line in ("/temp 2", "/k auto", "/spec off", "/system off"):
            await desk.send(line)
        await desk.send("/preset")
        assert "Presets: code.v1." in desk.hint
        await desk.send("/preset code.v1")
        await desk.ask("hi")
        [(messages, request)] = backend.asked
        assert messages[0].content == system
        assert (request.sampling.temperature, request.num_draft_tokens) == (0.25, 4)
        assert (request.spec, request.sampling.max_tokens) == ("suffix", None)
        await desk.send("/preset delete code.v1")
        await desk.send("/preset code.v1")
        assert "There is no preset code.v1." in desk.hint


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("temperature = ", "can't be read"),
        ("\xff", "can't be read"),
        ("nonsense = 1", "nonsense is not a field"),
        ("temperature = true", "temperature must be a text or a number"),
        ("temperature = [1]", "temperature must be a text or a number"),
        ("temperature = 99", "temperature must be between 0 and 10"),
        ("temperature = 0.1\ntop_k = 'x'", "top_k must be a whole number"),
        ("spec = 'x'", "Speculation can be"),
    ],
)
async def test_a_broken_preset_is_a_sentence_and_changes_nothing(
    open_desk: OpenDesk, text: str, said: str
) -> None:
    paths.presets_dir().mkdir(parents=True)
    (paths.presets_dir() / "bad.toml").write_bytes(text.encode("latin-1"))
    backend = ScriptedBackend(reply(burst("1")))
    async with open_desk(backend, temperature=0.5) as desk:
        await desk.phase(Phase.READY)
        await desk.send("/preset bad")
        assert said in desk.hint
        await desk.ask("hi")
        assert backend.asked[0][1].sampling.temperature == 0.5


async def test_a_preset_of_a_user_may_set_one_thing(open_desk: OpenDesk) -> None:
    paths.presets_dir().mkdir(parents=True)
    (paths.presets_dir() / "greedy.toml").write_text("temperature = 0\n")
    backend = ScriptedBackend(reply(burst("1")))
    async with open_desk(backend, system="Stays.", top_k=7) as desk:
        await desk.phase(Phase.READY)
        await desk.send("/preset greedy")
        await desk.ask("hi")
        [(messages, request)] = backend.asked
        assert (messages[0].content, request.sampling.temperature) == ("Stays.", 0)
        assert request.sampling.top_k == 7


async def test_a_refused_value_is_in_view_with_what_is_wrong(open_desk: OpenDesk) -> None:
    """On a small screen the panel went to its end to show the fault, and away from the field."""
    async with open_desk(ScriptedBackend(), size=(60, 20)) as desk:
        screen = await opened(desk)
        panel = screen.query_one("#settings")
        fill(screen, temperature="hot")
        screen.query_one("#system").focus()
        await desk.until(lambda: panel.scroll_offset.y)
        await desk.pilot.press("enter")
        await desk.until(lambda: "✗ temperature must be a number, not hot." in desk.screen_text)
        temperature = screen.query_one("#field-temperature", Input)
        await desk.until(lambda: panel.region.contains_region(temperature.region))
        assert screen.focused is temperature
        for field in list(screen.query(Input))[1:]:
            await desk.pilot.press("down")
            assert screen.focused is field
            await desk.until(lambda f=field: panel.region.contains_region(f.region))
            assert "✗ temperature must be a number, not hot." in desk.screen_text


async def test_the_arrows_leave_the_system_prompt_at_its_edges(open_desk: OpenDesk) -> None:
    """Up on its first line went nowhere: only Shift+Tab got out of it."""
    async with open_desk(ScriptedBackend(), system="one\ntwo", size=(60, 20)) as desk:
        screen = await opened(desk)
        area = screen.query_one("#system", TextArea)
        area.focus()
        await desk.pilot.press("down")
        assert screen.focused is area and area.cursor_location[0] == 1
        await desk.pilot.press("down", "up")
        assert screen.focused is area and area.cursor_location[0] == 0
        await desk.pilot.press("up")
        assert screen.focused is list(screen.query(Input))[-1]
        await desk.pilot.press("down")
        assert screen.focused is area


@pytest.mark.parametrize("size", [(1, 1), (20, 5), (60, 12)])
async def test_the_panel_at_any_size(open_desk: OpenDesk, size: tuple[int, int]) -> None:
    async with open_desk(ScriptedBackend(), size=size) as desk:
        await opened(desk)
        await desk.pilot.press("tab", "down", "up", "escape")
        assert desk.app.screen is desk.chat


def test_the_look_of_the_panel(snap_compare: Callable[..., bool], history: History) -> None:
    clock = Clock()
    settings = load_settings(system="Answer in one sentence.")
    app = ChatApp(lambda name: ScriptedBackend(), "pair", history, settings, None, clock)

    async def open_panel(pilot: Pilot[None]) -> None:
        screen = await opened(Desk(app, pilot, clock))
        for field in screen.query(Input):
            field.cursor_blink = False
        await pilot.pause(0.2)

    try:
        assert snap_compare(app, terminal_size=(100, 28), run_before=open_panel)
    finally:
        asyncio.set_event_loop(None)
