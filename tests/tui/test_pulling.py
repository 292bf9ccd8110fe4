"""A pull beside the chat: how far it is, how it ends, and that nothing waits for it."""

from __future__ import annotations

import errno
import time
from io import BufferedRandom
from pathlib import Path

import pytest

from localspec.errors import UsageError
from localspec.models import records, store
from localspec.models.events import Notice, Plan, PlannedFile, Progress
from localspec.models.sources import transfer
from localspec.tui.messages import PullEnded
from localspec.tui.talk import Phase
from tests.models import tiny_catalog
from tests.models.any_repo import ANY, FILE, OTHER, PATH, fetched_whole, hub
from tests.models.scene import Scene, scene, tiny_bytes
from tests.models.tiny_catalog import TARGET
from tests.tui.conftest import OpenDesk
from tests.tui.scripted import HOLD, ScriptedBackend, burst, reply
from tests.tui.shelf_desk import ShelfDesk

__all__ = ["hub", "scene", "tiny_bytes"]


async def test_a_pull_goes_on_while_a_reply_streams(open_desk: OpenDesk, scene: Scene) -> None:
    """The list may be closed; the title tells how far it is, a notice that it is here."""
    scene.stub.faults[scene.target_path] = ["drip:40000"]
    rest = reply(burst("three"))[1:]
    backend = ScriptedBackend([burst("one "), HOLD, burst("two "), HOLD, *rest])
    async with open_desk(backend) as desk:
        shelf = await ShelfDesk(desk).open()
        await shelf.pull()
        await shelf.says("Pulling tiny. It goes on when this list is closed.")
        await desk.until(lambda: "downloading" in shelf.bars and " of 467.1 kB" in shelf.bars)
        assert [line.split()[0] for line in shelf.bars.splitlines()] == [
            "pulling",
            "target",
            "draft",
        ]
        assert shelf.rows[0].where.startswith("pulling ")
        await shelf.press("escape")
        await desk.send("hi")
        await desk.until(lambda: "one" in desk.screen_text)
        await desk.until(lambda: shelf.note.startswith("pulling tiny") and "%" in shelf.note)
        backend.go_on()
        await desk.until(lambda: "two" in desk.screen_text)
        await shelf.ended()
        assert desk.chat._talk.phase is Phase.REPLYING
        assert shelf.note == ""
        await desk.until(lambda: "tiny is here; /model tiny takes it." in desk.screen_text)
        assert store.resolve("tiny").draft
        backend.go_on()
        await desk.phase(Phase.READY)
        assert "three" in desk.screen_text


async def test_what_was_pulled_can_be_taken_at_once(open_desk: OpenDesk, scene: Scene) -> None:
    backends = {"pair": ScriptedBackend(), "tiny": ScriptedBackend()}
    async with open_desk(backends) as desk:
        shelf = await ShelfDesk(desk).open()
        await shelf.pull()
        await shelf.says("tiny is here; /model tiny takes it.")
        await desk.until(lambda: shelf.rows[0].where.startswith("on disk"))
        await shelf.press("enter")
        await desk.until(lambda: desk.chat._talk.model == "tiny")
        await desk.phase(Phase.READY)
        assert backends["tiny"].num_loads == 1


async def test_a_cancelled_pull_resumes(open_desk: OpenDesk, scene: Scene) -> None:
    """B25: also on a silent line. What was fetched is kept."""
    scene.stub.faults[scene.target_path] = ["stall:200000"]
    async with open_desk(ScriptedBackend()) as desk:
        shelf = await ShelfDesk(desk).open()
        await shelf.press("ctrl+x")
        await shelf.says("Nothing is being pulled.")
        await shelf.pull()
        await desk.until(lambda: " 43%" in shelf.bars)
        await shelf.press("ctrl+x")
        await shelf.says("The pull of tiny was cancelled; the next one goes on where it left off.")
        await desk.until(lambda: shelf.rows[0].where == "32% of 610.4 kB")
        scene.stub.log.clear()
        await shelf.press("enter")
        await shelf.says("Go on with the pull, 41")
        await shelf.press("enter")
        await shelf.says("tiny is here")
    [asked] = scene.stub.fetched(TARGET)
    assert asked.startswith("bytes=")
    assert store.resolve("tiny").target.read_bytes() == scene.target


async def test_one_pull_at_a_time(open_desk: OpenDesk, scene: Scene) -> None:
    scene.pairs.append(scene.pairs[0] | {"name": "other", "aliases": []})
    scene.write()
    scene.stub.faults[scene.target_path] = ["stall:200000"]
    async with open_desk(ScriptedBackend()) as desk:
        shelf = await ShelfDesk(desk).open()
        await shelf.type("tiny-alias")
        await shelf.pull()
        await shelf.press("enter")
        await shelf.says("tiny is being pulled already. Ctrl+X cancels that.")
        await shelf.press("ctrl+d")
        await shelf.says("tiny is being pulled. Ctrl+X cancels that.")
        await shelf.type("other")
        await shelf.press("enter")
        await shelf.says("tiny is being pulled, and one pull runs at a time.")
        with pytest.raises(UsageError, match="tiny is being pulled"):
            shelf.pulling.begin("other", lambda: iter(()))
        await shelf.press("ctrl+x")
        await shelf.ended()
    assert not scene.stub.fetched("other")


@pytest.mark.parametrize(
    ("status", "told"),
    [(401, "401"), (403, "403"), (404, "tiny-target"), (429, "429"), (500, "500")],
)
async def test_the_hubs_refusals_are_told_in_the_list(
    open_desk: OpenDesk, scene: Scene, status: int, told: str
) -> None:
    scene.stub.status[scene.target_path] = status
    async with open_desk(ScriptedBackend()) as desk:
        shelf = await ShelfDesk(desk).open()
        await shelf.pull()
        await shelf.ended()
        await shelf.says("tiny was not pulled. ")
        fault = shelf.pulling.failures["tiny"]
        assert fault in shelf.said
        assert fault in shelf.detail
        await shelf.press("escape")
        await desk.until(lambda: "tiny was not pulled." in desk.screen_text)
        # What it was is still told when the list is opened again.
        await shelf.open()
        assert fault in shelf.detail
    assert store.installed() == []


async def test_a_full_disk_is_told_and_the_pull_resumes(
    open_desk: OpenDesk, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = transfer.PartialFile.opened

    def full(self: transfer.PartialFile) -> BufferedRandom:
        if self._path.suffix == ".incomplete":
            raise OSError(errno.ENOSPC, "No space left on device")
        return opened(self)

    async with open_desk(ScriptedBackend()) as desk:
        shelf = await ShelfDesk(desk).open()
        with monkeypatch.context() as patch:
            patch.setattr(transfer.PartialFile, "opened", full)
            await shelf.pull()
            await shelf.says("tiny was not pulled. The disk is full. Free some space;")
        await desk.until(lambda: shelf.rows[0].where == "0% of 610.4 kB")
        await shelf.pull()
        await shelf.says("tiny is here")
        assert "full" not in shelf.detail


async def test_a_pair_that_does_not_match_is_never_fetched(
    open_desk: OpenDesk, scene: Scene, hub: Scene
) -> None:
    """B12: 40 GB came down before the refusal."""
    odd = hub.stub.files[f"/{OTHER}/resolve/*/odd-Q4_K_M.gguf"]
    assert isinstance(odd, bytes)
    target = scene.pairs[0]["target"]
    draft = tiny_catalog.file_entry(OTHER, "odd-Q4_K_M.gguf", odd, quant="Q4_K_M")
    scene.pairs.append(tiny_catalog.pair_entry("odd", target, draft))
    scene.write()
    async with open_desk(ScriptedBackend()) as desk:
        shelf = await ShelfDesk(desk).open()
        await shelf.type("odd")
        await shelf.pull()
        await shelf.says("odd was not pulled. ")
        assert "can't draft for" in shelf.said
    assert fetched_whole(scene) == []


async def test_a_place_on_the_hub_is_asked_about_then_pulled(
    open_desk: OpenDesk, hub: Scene
) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        shelf = await ShelfDesk(desk).open()
        await shelf.type(f"{ANY}:Q4_K_M")
        assert shelf.chosen == f"{ANY}:Q4_K_M"
        await shelf.press("enter")
        await shelf.says("Enter again.")
        assert "licence mit" in shelf.detail
        assert f"{FILE} of {ANY}, 467.1 kB" in shelf.detail
        assert fetched_whole(hub) == []
        await shelf.press("enter")
        await shelf.ended()
        [name] = [each.name for each in store.installed() if each.state == "ready"]
        await shelf.says(f"{name} is here; /model {name} takes it.")
        assert hub.stub.fetched(FILE)
        await shelf.type(f"{ANY}:Q4_K_M")
        await shelf.press("enter")
        await desk.until(lambda: not shelf.is_open)


async def test_a_place_that_is_none_is_told(open_desk: OpenDesk, hub: Scene) -> None:
    async with open_desk(ScriptedBackend()) as desk:
        shelf = await ShelfDesk(desk).open()
        await shelf.type("nobody/Nothing-GGUF")
        await shelf.press("enter")
        await desk.until(lambda: shelf.said.startswith("✗"))
        assert "nobody/Nothing-GGUF" in shelf.said
        for text in ("../../etc/passwd", "/", "user/", "a:b", "https://example.com/x/y"):
            await shelf.type(text)
            assert {row.key for row in shelf.rows} <= {"tiny"}
            await shelf.press("enter")
    assert store.installed() == []


async def test_closing_the_list_leaves_a_check_to_itself(open_desk: OpenDesk, hub: Scene) -> None:
    hub.stub.span_faults[PATH] = ["stall:100"] * 9
    async with open_desk(ScriptedBackend()) as desk:
        shelf = await ShelfDesk(desk).open()
        await shelf.type(f"{ANY}:Q4_K_M")
        await shelf.press("enter")
        await desk.until(lambda: hub.stub.spans(FILE))
        await shelf.press("escape")
        assert not shelf.is_open


async def test_a_quantisation_of_a_listed_model_is_asked_for(
    open_desk: OpenDesk, scene: Scene
) -> None:
    files = {TARGET: scene.target, "tiny-target-q6_k.gguf": scene.target}
    scene.stub.add_repo("maker/tiny-target-GGUF", files)
    async with open_desk(ScriptedBackend()) as desk:
        shelf = await ShelfDesk(desk).open()
        await shelf.type("tiny:Q6_K")
        assert shelf.chosen == "tiny:Q6_K"
        await shelf.pull()
        await shelf.says("tiny is here")
    assert store.resolve("tiny").quant.upper() == "Q6_K"


async def test_quitting_loses_nothing(open_desk: OpenDesk, scene: Scene) -> None:
    """On a line that has gone silent too; the time is that of a second, not of the line's."""
    scene.stub.faults[scene.target_path] = ["stall:200000"]
    async with open_desk(ScriptedBackend()) as desk:
        shelf = await ShelfDesk(desk).open()
        await shelf.pull()
        await desk.until(lambda: " 43%" in shelf.bars)
        await shelf.press("ctrl+q")
        await desk.until(lambda: not desk.app.is_running)
    assert desk.app.unfinished_pull == "tiny"
    [status] = store.installed()
    assert status.state == "partial"
    assert status.present_bytes > 190_000
    scene.pull()
    assert store.resolve("tiny").target.read_bytes() == scene.target


async def test_a_fault_of_ours_is_no_crash(open_desk: OpenDesk, scene: Scene) -> None:
    def breaks() -> object:
        raise ZeroDivisionError("division by zero")

    async with open_desk(ScriptedBackend()) as desk:
        shelf = await ShelfDesk(desk).open()
        shelf.pulling.begin("tiny", breaks)  # type: ignore[arg-type]
        await shelf.says("The pull failed: ZeroDivisionError: division by zero")


async def test_names_from_a_pull_are_only_text(open_desk: OpenDesk, own_home: Path) -> None:
    name = "[red]x\x1b[31m日本語\u202e"
    path = Path("/nowhere")
    plan = Plan(
        name=name,
        files=(PlannedFile("target", name, name, name, 100, 100, "hub", path),),
        license=name,
        gated=False,
        needed_bytes=100,
        free_bytes=1000,
    )
    async with open_desk(ScriptedBackend()) as desk:
        shelf = await ShelfDesk(desk).open(judged=False)

        def events() -> object:
            yield plan
            yield Notice(f"{name} said")
            while True:
                yield Progress(name, "target", 50, 100, 10.0, 5.0, "downloading")
                time.sleep(0.05)

        shelf.pulling.begin(name, events)  # type: ignore[arg-type]
        await desk.until(lambda: "said" in shelf.bars and "50%" in shelf.bars)
        assert "[red]x[31m日本語" in desk.screen_text
        assert not {"\x1b", "\u202e"} & set(desk.screen_text)
        shelf.pulling.cancel()
        await shelf.ended()
        await shelf.press("escape")
        desk.chat.post_message(PullEnded(name, ""))
        await desk.until(lambda: "is here" in desk.screen_text)
        assert not {"\x1b", "\u202e"} & set(desk.screen_text)
    assert list(records.load_all()) == []
