"""The list of models: find one, take it, delete it."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from localspec.chat.events import Ready
from localspec.models import records, store
from localspec.models.placement import CPU
from localspec.models.shelf import ShelfModel, ShelfPair
from localspec.tui import model_asking
from localspec.tui.talk import Phase
from tests.conftest import TinyFiles, register
from tests.models.scene import Scene, scene, tiny_bytes
from tests.tui.conftest import OpenDesk
from tests.tui.scripted import HOLD, ScriptedBackend, burst, reply
from tests.tui.shelf_desk import GB, ShelfDesk

__all__ = ["scene", "tiny_bytes"]


@pytest.mark.parametrize("how", ["ctrl+o", "/models", "/model"])
async def test_the_list_opens_with_the_pair_in_use_chosen(
    open_desk: OpenDesk, tiny_pair: str, how: str
) -> None:
    async with open_desk({"tiny": ScriptedBackend()}) as desk:
        shelf = ShelfDesk(desk)
        desk.chat._talk.ready = None
        await desk.phase(Phase.READY)
        shelf.models.devices = lambda: ()
        await (desk.send(how) if how.startswith("/") else desk.pilot.press(how))
        await desk.until(lambda: shelf.is_open and shelf.rows)
        assert len(shelf.rows) == 67
        assert shelf.chosen == "tiny"
        await desk.until(lambda: "memory can't be asked" in desk.screen_text)
        await desk.pilot.press("ctrl+o")
        assert not shelf.is_open


async def test_typing_narrows_the_list(open_desk: OpenDesk, own_home: Path) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        shelf = await ShelfDesk(desk).open()
        await shelf.type("llama 70b")
        await shelf.says("of 66 models.")
        assert all("70b" in row.name for row in shelf.rows)
        assert "llama3-70b" in [row.name for row in shelf.rows]
        await shelf.type("zzz")
        await shelf.says("Nothing is called so; user/repo asks the hub.")
        await shelf.press("enter", "down", "ctrl+d")
        assert shelf.is_open
        await shelf.press("ctrl+u")
        await shelf.says("0 on this disk, 66 to pull.")
        assert len(shelf.rows) == 66


async def test_each_row_tells_whether_it_fits(open_desk: OpenDesk, own_home: Path) -> None:
    async with open_desk(ScriptedBackend(), size=(150, 40)) as desk:
        shelf = await ShelfDesk(desk).open()
        fits = {row.name: row.fit for row in shelf.rows}
        assert fits["llama3.1-8b"] == "fits on the GPU"
        assert fits["llama3-70b"].endswith("layers on the CPU")
        assert fits["mistral-large"].startswith("too big: needs")
        assert "23.0 of 24.0 GB free" in desk.screen_text
        await shelf.type("phi4")
        await desk.until(lambda: "No draft model fits phi4-14b" in shelf.detail)
        assert "licence mit" in shelf.detail
        assert "context 16,384" in shelf.detail
        assert "localspec show phi4-14b" in shelf.detail


async def test_what_the_pair_in_use_holds_counts_as_free(
    open_desk: OpenDesk, own_home: Path
) -> None:
    """A loaded pair filled the GPU, and every other model was too big for the rest."""
    ready = Ready("pair", "t", "d", "CUDA0", 8192, 0.1, taken={"CUDA0": 20 * GB, CPU: 99 * GB})
    async with open_desk(ScriptedBackend(loading=[ready])) as desk:
        await desk.phase(Phase.READY)
        shelf = ShelfDesk(desk)
        await shelf.open()
        gpu, cpu = shelf.models.machine()
        assert (gpu.free, cpu.free) == (24 * GB, 32 * GB)


async def test_enter_takes_a_pair_and_the_conversation_stays(
    open_desk: OpenDesk, tiny_files: TinyFiles
) -> None:
    register("one", target=tiny_files.target)
    register("two", target=tiny_files.draft)
    second = ScriptedBackend(reply(burst("from two")))
    backends = {"one": ScriptedBackend(reply(burst("from one"))), "two": second}
    async with open_desk(backends) as desk:
        await desk.ask("hi")
        desk.chat._talk.ready = None
        shelf = await ShelfDesk(desk).open(judged=False)
        assert [row.name for row in shelf.rows if row.is_used] == ["one"]
        await shelf.type("two")
        await shelf.press("enter")
        assert not shelf.is_open
        await desk.ask("and now?")
        assert [message.content for message in second.asked[0][0]] == [
            "hi",
            "from one",
            "and now?",
        ]


async def test_taking_another_pair_in_a_reply_is_asked_about(
    open_desk: OpenDesk, tiny_files: TinyFiles
) -> None:
    register("two", target=tiny_files.draft)
    backends = {"one": ScriptedBackend([burst("half"), HOLD]), "two": ScriptedBackend()}
    async with open_desk(backends) as desk:
        shelf = ShelfDesk(desk)
        shelf.models.devices = lambda: ()
        await desk.phase(Phase.READY)
        await desk.send("hi")
        await desk.until(lambda: "half" in desk.screen_text)
        await desk.pilot.press("ctrl+o")
        await desk.until(lambda: shelf.is_open and shelf.rows)
        await shelf.type("two")
        await shelf.press("enter")
        await shelf.says("A reply is running. Enter again ends it and takes two.")
        await shelf.press("escape", "enter")
        await shelf.says("Enter again")
        await shelf.press("enter")
        await desk.until(lambda: desk.chat._talk.model == "two")
        await desk.phase(Phase.READY)


async def test_the_pair_in_use_is_not_loaded_again(open_desk: OpenDesk, tiny_pair: str) -> None:
    backend = ScriptedBackend(loading=[Ready("tiny", "t", "d", "CPU", 8192, 0.1)])
    async with open_desk({"tiny": backend}) as desk:
        shelf = await ShelfDesk(desk).open(judged=False)
        await shelf.press("enter")
        assert not shelf.is_open
        assert backend.num_loads == 1


async def test_delete_asks_once_and_spares_the_pair_in_use(
    open_desk: OpenDesk, scene: Scene, tiny_files: TinyFiles
) -> None:
    scene.pull()
    register("mine", target=tiny_files.target)
    loading = [Ready("mine", "t", "", "CPU", 8192, 0.1)]
    async with open_desk({"mine": ScriptedBackend(loading=loading)}) as desk:
        shelf = await ShelfDesk(desk).open()
        await shelf.type("mine")
        await shelf.press("ctrl+d")
        await shelf.says("mine is in use. Take another model first.")
        await shelf.type("tiny")
        await shelf.press("ctrl+d")
        await shelf.says("Delete tiny and free 6")
        await shelf.press("escape", "ctrl+d")
        await shelf.says("Ctrl+D again.")
        assert store.resolve("tiny")
        await shelf.press("ctrl+d")
        await shelf.says("tiny is deleted; 6")
        assert records.load("tiny") is None
        await desk.until(lambda: [row.where[:7] for row in shelf.rows] == ["to pull"])
        assert not scene.hub_file("maker/tiny-target-GGUF", "tiny-target-q8_0.gguf").exists()


async def test_own_files_are_forgotten_not_deleted(
    open_desk: OpenDesk, scene: Scene, tiny_files: TinyFiles
) -> None:
    register("mine", target=tiny_files.target)
    async with open_desk(ScriptedBackend()) as desk:
        shelf = await ShelfDesk(desk).open()
        await shelf.press("ctrl+d")
        await shelf.says("Forget mine? Ctrl+D again. target.gguf stays, localspec didn't fetch it.")
        await shelf.press("ctrl+d")
        await shelf.says("mine is forgotten; its files stay.")
        assert tiny_files.target.exists()
        assert records.load("mine") is None


async def test_own_files_that_are_gone_are_not_pulled(
    open_desk: OpenDesk, scene: Scene, tiny_files: TinyFiles
) -> None:
    copy = scene.home / "copy.gguf"
    copy.write_bytes(tiny_files.target.read_bytes())
    register("mine", target=copy)
    copy.unlink()
    async with open_desk(ScriptedBackend()) as desk:
        shelf = await ShelfDesk(desk).open()
        assert shelf.rows[0].where == "files are gone"
        await shelf.press("enter")
        await shelf.says("mine's files are gone or changed, and they are your own.")


async def test_nothing_waits_for_a_machine_that_does_not_answer(
    open_desk: OpenDesk, own_home: Path
) -> None:
    """A GPU driver that hangs kept the list empty, and the screen open."""
    asked, answers = threading.Event(), threading.Event()

    def hangs() -> tuple[()]:
        asked.set()
        answers.wait(60)
        return ()

    async with open_desk(ScriptedBackend()) as desk:
        shelf = ShelfDesk(desk)
        shelf.models.devices = hangs
        await desk.phase(Phase.READY)
        await desk.pilot.press("ctrl+o")
        await desk.until(lambda: shelf.is_open and len(shelf.rows) == 66)
        assert asked.wait(10)
        await shelf.press("escape")
        assert not shelf.is_open
    assert not answers.is_set()
    answers.set()


@pytest.mark.parametrize("size", [(1, 1), (2, 2), (20, 5), (40, 10), (70, 16), (300, 80)])
async def test_the_list_at_this_size(
    open_desk: OpenDesk, own_home: Path, size: tuple[int, int]
) -> None:
    async with open_desk(ScriptedBackend(), size=size) as desk:
        shelf = await ShelfDesk(desk).open(judged=False)
        await shelf.press("down", "pagedown", "pageup", "up", "up", *"llama", "enter", "escape")
        await desk.pilot.resize_terminal(80, 24)
        await desk.pilot.pause()
        assert "llama3-70b" in desk.screen_text


@pytest.mark.parametrize("name", ["[red]x[/red]", "日本語" * 12, "é🙂👩‍👩‍👧", "a\x1b[31mb\u202e"])
async def test_names_are_only_text(
    open_desk: OpenDesk, own_home: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    model = ShelfModel("target", f"{name}.gguf", name, name, 5)
    pair = ShelfPair(name, "ready", model, None, name, license=f"[b]{name}\x1b]0;x\x07")
    monkeypatch.setattr(model_asking, "shelf", lambda: [pair])
    async with open_desk(ScriptedBackend()) as desk:
        shelf = await ShelfDesk(desk).open()
        await desk.until(lambda: shelf.detail)
        await shelf.press("ctrl+d")
        await shelf.says("No model is called")
        text = desk.screen_text
        assert not {"\x1b", "\u202e", "\x07"} & set(text)
        if name.startswith("["):
            assert text.count(name) >= 3
        await shelf.press("enter")
        assert not shelf.is_open
        await desk.until(lambda: "No model is called" in desk.hint)
        assert "\x1b" not in desk.screen_text
