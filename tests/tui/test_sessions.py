"""The list of conversations."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from localspec.chat.events import Message
from localspec.chat.history import History
from localspec.chat.listing import Conversation
from localspec.errors import LocalspecError
from localspec.settings import load_settings
from localspec.tui.app import ChatApp
from localspec.tui.screens.sessions import SessionsScreen
from localspec.tui.talk import Phase
from localspec.tui.widgets.session_list import SessionList
from tests.tui.conftest import Clock, Desk, OpenDesk
from tests.tui.scripted import HOLD, ScriptedBackend, burst, reply


def say(history: History, question: str, answer: str = "An answer") -> int:
    conversation = history.start("pair")
    history.append(conversation, Message("user", question))
    history.append(conversation, Message("assistant", answer))
    return conversation


async def listed(desk: Desk, num: int) -> SessionList:
    await desk.until(lambda: isinstance(desk.app.screen, SessionsScreen))
    sessions = desk.app.screen.query_one(SessionList)
    await desk.until(lambda: len(sessions.rows) == num)
    return sessions


@pytest.mark.parametrize("how", ["ctrl+s", "/sessions"])
async def test_a_conversation_is_found_and_opened(
    open_desk: OpenDesk, history: History, how: str
) -> None:
    wanted = say(history, "About caches", "LRU it is")
    say(history, "Something else")
    backend = ScriptedBackend(reply(burst("more")))
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await (desk.send(how) if how.startswith("/") else desk.pilot.press(how))
        await listed(desk, 2)
        await desk.pilot.press(*"lru")
        await listed(desk, 1)
        assert "LRU it is" in desk.screen_text
        await desk.pilot.press("enter")
        await desk.until(lambda: desk.app.conversation == wanted)
        await desk.until(lambda: "LRU it is" in desk.screen_text)
        await desk.ask("and then?")
        assert len(backend.asked[0][0]) == 3


async def test_a_search_that_takes_its_time_says_so(
    open_desk: OpenDesk, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list of the search before looked like the answer."""
    say(history, "About caches")
    goes_on = threading.Event()
    search = history.search

    def slow(text: str) -> list[Conversation]:
        if text:
            goes_on.wait(10)
        return search(text)

    monkeypatch.setattr(history, "search", slow)
    async with open_desk(ScriptedBackend()) as desk:
        await desk.pilot.press("ctrl+s")
        await listed(desk, 1)
        await desk.pilot.press("c")
        await desk.until(lambda: "Searching…" in desk.screen_text)
        goes_on.set()
        await desk.until(lambda: "1 conversation" in desk.screen_text)


async def test_search_is_a_command(open_desk: OpenDesk, history: History) -> None:
    say(history, 'it\'s "quoted"')
    say(history, "other")
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.send('/search it\'s "quoted"')
        await listed(desk, 1)
        await desk.pilot.press("escape")
        assert desk.app.screen is desk.chat


async def test_arrows_choose_and_the_open_one_is_chosen_first(
    open_desk: OpenDesk, history: History
) -> None:
    ids = [say(history, f"number {index}") for index in range(50)]
    async with open_desk(ScriptedBackend(), conversation=ids[10]) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press("ctrl+s")
        sessions = await listed(desk, 50)
        assert sessions.chosen and sessions.chosen.id == ids[10]
        assert "▸ number 10" in desk.screen_text
        await desk.pilot.press("down", "down", "up", "pagedown", "pageup", "pagedown", "pagedown")
        assert sessions.chosen.id == ids[0]
        await desk.pilot.press("down", "enter")
        await desk.until(lambda: desk.app.conversation == ids[0])


async def test_rename_in_the_list(open_desk: OpenDesk, history: History) -> None:
    conversation = say(history, "question")
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press("ctrl+s")
        await listed(desk, 1)
        await desk.pilot.press("ctrl+r", "ctrl+u", *"mine", "escape")
        assert history.conversation(conversation).title == "question"
        await desk.pilot.press("ctrl+r", "ctrl+u", *"mine", "enter")
        await desk.until(lambda: "▸ mine" in desk.screen_text)
        assert history.conversation(conversation).title == "mine"


async def test_delete_and_undo_in_the_list(open_desk: OpenDesk, history: History) -> None:
    ids = [say(history, f"number {index}") for index in range(3)]
    async with open_desk(ScriptedBackend(), conversation=ids[1]) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press("ctrl+s")
        await listed(desk, 3)
        await desk.pilot.press("ctrl+d")
        sessions = await listed(desk, 2)
        assert "Deleted: number 1." in desk.screen_text
        await desk.pilot.press("ctrl+d", "ctrl+d", "ctrl+d")
        await listed(desk, 0)
        assert history.conversations() == []
        await desk.pilot.press("ctrl+z", "ctrl+z")
        await listed(desk, 2)
        assert sessions.chosen
        await desk.pilot.press("escape")
        # The open one stayed deleted, so it is not on the screen any more.
        await desk.until(lambda: "number 1" not in desk.screen_text)
        assert desk.app.conversation is None
        await desk.send("/undo")
        await desk.until(lambda: "number 1" in desk.screen_text)
    assert {found.id for found in history.conversations()} == set(ids)


async def test_a_title_has_the_room_of_its_row(open_desk: OpenDesk, history: History) -> None:
    """Titles were cut after 31 characters beside a column that was mostly blank."""
    title = "How does speculative decoding keep the target's order?"
    say(history, title)
    async with open_desk(ScriptedBackend(), size=(100, 20)) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press("ctrl+s")
        await listed(desk, 1)
        [row] = [line for line in desk.screen_text.splitlines() if title in line]
        assert "2 messages" in row


async def test_a_long_title_leaves_the_model_out(open_desk: OpenDesk, history: History) -> None:
    long = "Which words are best for a long title on a row like that"
    say(history, long)
    say(history, "short")
    async with open_desk(ScriptedBackend(), size=(100, 20)) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press("ctrl+s")
        await listed(desk, 2)
        assert long in desk.screen_text and " pair " not in desk.screen_text
        await desk.pilot.press("down", "ctrl+d")
        await listed(desk, 1)
        assert " pair " in desk.screen_text


@pytest.mark.parametrize("title", ["Why?", "So.", "And so on…"])
async def test_a_title_with_an_end_gets_no_full_stop(
    open_desk: OpenDesk, history: History, title: str
) -> None:
    """The line on "Why?" had two ends of a sentence."""
    say(history, title)
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press("ctrl+s")
        await listed(desk, 1)
        await desk.pilot.press("ctrl+d")
        await desk.until(lambda: f"Deleted: {title} Ctrl+Z brings" in desk.screen_text)


async def test_the_conversation_of_a_running_reply_stays(
    open_desk: OpenDesk, history: History
) -> None:
    other = say(history, "other")
    backend = ScriptedBackend([burst("half"), HOLD, burst(" whole")])
    async with open_desk(backend) as desk:
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.until(lambda: "half" in desk.screen_text)
        await desk.pilot.press("ctrl+s")
        await listed(desk, 2)
        await desk.pilot.press("ctrl+d")
        assert "A reply is running in this conversation." in desk.screen_text
        await desk.pilot.press("down", "enter")
        await desk.until(lambda: "A reply is running." in desk.hint)
        assert desk.app.conversation != other
        backend.go_on()
        await desk.until(lambda: "half whole" in desk.screen_text)


async def test_titles_are_only_text(open_desk: OpenDesk, history: History) -> None:
    for title in (
        "[red]x[/red] \x1b[31m",
        "\u202edlrow",
        "日本語 " * 30,
        "🙂👩‍👩‍👧",
        "\n\t",
        "a" * 5000,
    ):
        say(history, title, "needle [b]\x1b]0;t\x07")
    for size in ((100, 30), (30, 10), (1, 1)):
        async with open_desk(ScriptedBackend(), size=size) as desk:
            await desk.phase(Phase.READY)
            await desk.pilot.press("ctrl+s")
            await listed(desk, 6)
            await desk.pilot.press(*"needle")
            await desk.pilot.pause(0.1)
            assert not set(desk.screen_text) & set("\x1b\x07\u202e\t")
            if size == (100, 30):
                assert "[red]x[/red] [31m" in desk.screen_text
                assert "(no text)" in desk.screen_text
                rows = [line for line in desk.screen_text.splitlines() if "needle [b]" in line]
                assert len(rows) == 6


async def test_a_history_that_can_not_be_read_is_said(
    open_desk: OpenDesk, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(history, "here")
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)
        await desk.pilot.press("ctrl+s")
        await listed(desk, 1)

        def fail(*_: object) -> None:
            raise LocalspecError("The history is away.")

        for name in ("search", "rename", "delete", "restore"):
            monkeypatch.setattr(history, name, fail)
        for keys in (["ctrl+d"], ["ctrl+r", "enter"], ["escape", "x"]):
            await desk.pilot.press(*keys)
            await desk.until(lambda: "✗ The history is away." in desk.screen_text)
        await desk.pilot.press("escape")
        assert desk.app.screen is desk.chat


async def test_only_lines_in_view_are_drawn(open_desk: OpenDesk, history: History) -> None:
    with history._database.transaction() as connection:
        connection.executemany(
            "INSERT INTO conversation (id, model, updated_at) VALUES (?, 'pair', ?)",
            [(number, number) for number in range(1, 10_001)],
        )
        connection.executemany(
            "INSERT INTO message (conversation_id, role, content) VALUES (?, 'user', ?)",
            [(number, f"question {number}") for number in range(1, 10_001)],
        )
    drawn: list[int] = []
    render = SessionList.render_line
    async with open_desk(ScriptedBackend()) as desk:
        await desk.phase(Phase.READY)

        def counted(self: SessionList, y: int) -> object:
            drawn.append(y)
            return render(self, y)

        SessionList.render_line = counted  # type: ignore[method-assign,assignment]
        try:
            await desk.pilot.press("ctrl+s")
            sessions = await listed(desk, 10_000)
            await desk.pilot.press("pagedown", "down")
        finally:
            SessionList.render_line = render  # type: ignore[method-assign]
        assert sessions.chosen and sessions.chosen.id < 10_000
        assert max(drawn) < 30


def test_the_look_of_the_list(
    snap_compare: Callable[..., bool], history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    questions = [
        "Why is a set faster than a list?",
        "Rename total_value to inventory_value, add type hints. Return the whole file.",
        "日本語で答えてください 🙂",
        "Write a haiku about caches",
    ]
    for number, question in enumerate(questions):
        conversation = say(history, question, "A total of two words")
        with history._database.transaction() as connection:
            at = 1_790_000_000 + 5_000 * number
            sql = "UPDATE conversation SET updated_at = ? WHERE id = ?"
            connection.execute(sql, (at, conversation))
    clock = Clock()
    app = ChatApp(lambda name: ScriptedBackend(), "pair", history, load_settings(), None, clock)

    async def search(pilot: Pilot[None]) -> None:
        desk = Desk(app, pilot, clock)
        await desk.phase(Phase.READY)
        await desk.pilot.press("ctrl+s")
        await listed(desk, 4)
        await desk.pilot.press(*"total", "down")
        await desk.until(lambda: "A total of two words" in desk.screen_text)
        desk.app.screen.query_one("#search").cursor_blink = False  # type: ignore[attr-defined]
        await desk.pilot.pause(0.2)

    try:
        assert snap_compare(app, terminal_size=(100, 20), run_before=search)
    finally:
        asyncio.set_event_loop(None)
