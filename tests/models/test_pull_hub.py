"""A pull from the hub: whole, interrupted, damaged, refused."""

import time
from pathlib import Path

import huggingface_hub
import pytest
from huggingface_hub import constants

from localspec.errors import DownloadFailed, NotPulled, SourceUnreachable
from localspec.models import catalog, locating, records, store
from localspec.models.events import Plan, Progress
from localspec.models.pull import PullRequest, pull
from localspec.models.removal import remove
from localspec.models.selection import select
from localspec.models.sources.hub import HubSource
from tests.models.scene import Scene, notices
from tests.models.tiny_catalog import COMMIT, DRAFT, DRAFT_REPO, REPO, TARGET


def test_a_pull_plans_first_and_ends_ready(scene: Scene) -> None:
    events = scene.pull("TINY-alias")
    plan = next(event for event in events if not isinstance(event, Progress))
    assert isinstance(plan, Plan)
    assert [file.bytes for file in plan.files] == [len(scene.target), len(scene.draft)]
    assert plan.needed_bytes == len(scene.target) + len(scene.draft)
    pair = store.resolve("tiny")
    assert pair.target.read_bytes() == scene.target
    assert pair.draft is not None
    assert pair.draft.read_bytes() == scene.draft
    assert (pair.quant, pair.draft_quant, pair.source) == ("Q8_0", "Q4_0", "hub")
    states = {event.state for event in events if isinstance(event, Progress)}
    assert {"checking", "present"} <= states


def test_other_programs_find_what_was_pulled(scene: Scene) -> None:
    """The files lie in the hub's cache in the hub's own layout."""
    scene.pull()
    found = huggingface_hub.try_to_load_from_cache(
        REPO, TARGET, cache_dir=constants.HF_HUB_CACHE, revision=COMMIT
    )
    assert isinstance(found, str)
    assert Path(found).read_bytes() == scene.target


@pytest.mark.parametrize("part", [0.1, 0.99, 1.0])
def test_a_cut_connection_resumes(scene: Scene, part: float) -> None:
    """B09: a dropped connection left a short file that was listed as ready."""
    cut = int(len(scene.target) * part)
    scene.stub.faults[scene.target_path] = [f"cut:{cut}"]
    scene.pull()
    ranges = scene.stub.fetched(TARGET)
    assert ranges == (["", f"bytes={cut}-"] if part < 1 else [""])
    assert store.resolve("tiny").target.read_bytes() == scene.target


def test_a_server_without_ranges_starts_over(scene: Scene) -> None:
    scene.stub.ignores_ranges = True
    scene.stub.faults[scene.target_path] = ["cut:1000"]
    scene.pull()
    assert store.resolve("tiny").target.read_bytes() == scene.target


@pytest.mark.parametrize("fault", ["wrong", "long"])
def test_damage_is_fetched_once_more(scene: Scene, fault: str) -> None:
    """B09: wrong bytes were kept under the final name."""
    scene.stub.faults[scene.target_path] = [fault]
    events = scene.pull()
    assert any("damaged" in text for text in notices(events))
    assert store.resolve("tiny").target.read_bytes() == scene.target


@pytest.mark.parametrize("header", ["X-Linked-Etag", "X-Repo-Commit"])
@pytest.mark.parametrize("name", ["../../../evil", "/tmp/evil", "..", "a\\b", "x" * 400])
def test_a_server_cannot_choose_a_path(scene: Scene, header: str, name: str) -> None:
    """A hash from the server became a file name as it was, also one with `..` in it."""
    scene.stub.lies[header] = name
    with pytest.raises(DownloadFailed):
        scene.pull()
    assert not list(scene.home.rglob("*evil*"))


def test_damage_twice_fails_and_leaves_nothing(scene: Scene) -> None:
    scene.stub.faults[scene.draft_path] = ["wrong", "wrong"]
    with pytest.raises(DownloadFailed, match=DRAFT):
        scene.pull()
    with pytest.raises(NotPulled, match="not all here"):
        store.resolve("tiny")
    [status] = store.installed()
    assert status.state == "partial"
    assert not list((scene.home / "huggingface").rglob("*.incomplete"))
    scene.pull()
    assert scene.stub.fetched(TARGET) == [""]
    assert store.resolve("tiny").draft


def test_a_connection_that_keeps_failing_leaves_a_partial(scene: Scene) -> None:
    scene.stub.faults[scene.target_path] = ["cut:1000", *["cut:0"] * 6]
    with pytest.raises(DownloadFailed, match=f"1000 of {len(scene.target)} bytes"):
        scene.pull()
    [status] = store.installed()
    assert (status.state, status.present_bytes) == ("partial", 1000)
    scene.stub.log.clear()
    scene.stub.faults.clear()
    scene.pull()
    assert scene.stub.fetched(TARGET) == ["bytes=1000-"]


def test_closing_a_pull_keeps_what_was_fetched(scene: Scene) -> None:
    """A cancelled pull ends at once, even on a silent line, and the next one resumes."""
    scene.stub.faults[scene.target_path] = ["stall:5000"]
    events = pull(PullRequest("tiny"))
    for event in events:
        if isinstance(event, Progress) and event.state != "reading" and event.done >= 5000:
            break
    events.close()  # type: ignore[attr-defined]
    scene.stub.log.clear()
    scene.pull()
    assert scene.stub.fetched(TARGET) == ["bytes=5000-"]


def test_what_is_complete_needs_no_network(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """B39: models on disk were unusable offline, because a network check came first."""
    scene.pull()
    records.delete("tiny")
    scene.stub.log.clear()
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    scene.pull()
    assert scene.stub.log == []
    assert store.resolve("tiny").draft


def test_offline_and_incomplete_names_the_setting(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(DownloadFailed, match="HF_HUB_OFFLINE"):
        scene.pull()


@pytest.mark.parametrize(
    ("status", "headers", "words"),
    [
        (401, {}, "gives no access"),
        (403, {"X-Error-Code": "GatedRepo"}, "is gated"),
        (404, {"X-Error-Code": "EntryNotFound"}, "any more"),
        (429, {"Retry-After": "30"}, "in 30 seconds"),
        (503, {}, "503"),
    ],
)
def test_each_refusal_has_its_sentence(
    scene: Scene, status: int, headers: dict[str, str], words: str
) -> None:
    scene.stub.head_status[scene.target_path] = status
    scene.stub.headers = headers
    with pytest.raises((DownloadFailed, SourceUnreachable), match=words) as caught:
        scene.pull(source="hub")
    assert "HF_ENDPOINT" in str(caught.value) or "gated" in words
    assert "\n" not in str(caught.value)


def test_a_passing_server_fault_is_tried_again(scene: Scene) -> None:
    scene.stub.faults[scene.target_path] = ["status:503"]
    scene.pull()
    assert store.resolve("tiny").target.read_bytes() == scene.target


def test_an_unreachable_hub_is_named(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """B39: the error hid which host was tried and which setting was in force."""
    monkeypatch.setattr(
        constants,
        "HUGGINGFACE_CO_URL_TEMPLATE",
        "http://127.0.0.1:9/{repo_id}/{revision}/{filename}",
    )
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(SourceUnreachable, match=r"127\.0\.0\.1:9 \(from HF_ENDPOINT\)"):
        scene.pull()


def test_a_silent_hub_is_given_up_on(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """A host name that resolves for minutes kept the pull waiting, deaf to a cancel."""
    monkeypatch.setattr(locating, "_DEADLINE_S", 0.5)
    monkeypatch.setattr(HubSource, "locate", lambda *_: time.sleep(2))
    start, events = time.monotonic(), pull(PullRequest("tiny"))
    first = next(event for event in events if isinstance(event, Progress))
    assert first.state == "waiting"
    with pytest.raises(SourceUnreachable, match="no answer"):
        list(events)
    assert time.monotonic() - start < 1.5


def test_a_mirror_that_hands_over_to_another_host_says_so(scene: Scene) -> None:
    """B39: bytes left for another host silently although a mirror was set."""
    scene.stub.redirect_host = "localhost"
    events = scene.pull()
    assert any("from localhost" in text for text in notices(events))
    assert store.resolve("tiny").target.read_bytes() == scene.target


def test_a_repository_that_was_renamed_is_followed(scene: Scene) -> None:
    new = f"/maker/new-name/resolve/main/{TARGET}"
    scene.stub.add_hub_file("maker/new-name", TARGET, scene.target)
    scene.stub.moved[scene.target_path] = new
    scene.pull()
    assert store.resolve("tiny").target.read_bytes() == scene.target
    scene.stub.moved[new.replace("/main/", "/*/")] = new
    with pytest.raises(DownloadFailed, match="doesn't tell the size and hash"):
        HubSource().locate(next(iter(select(catalog.pairs()[0]).files)))


def test_a_busy_hub_is_asked_once(scene: Scene) -> None:
    """The library asked again for as long as the hub told it to wait, which looked like silence."""
    scene.stub.head_status[scene.target_path] = 429
    scene.stub.headers = {"Retry-After": "30"}
    with pytest.raises(DownloadFailed, match="in 30 seconds"):
        scene.pull()
    assert scene.stub.log == [("HEAD", scene.target_path, "")]


def test_the_token_stays_with_the_hub(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    scene.stub.redirect_host = "localhost"
    scene.pull()
    sent = {token for path, token in scene.stub.tokens if not path.startswith("/cdn")}
    passed_on = {token for path, token in scene.stub.tokens if path.startswith("/cdn")}
    assert sent == {"Bearer hf_secret"}
    assert passed_on == {""}


def test_another_file_at_a_pinned_revision_is_refused(scene: Scene) -> None:
    scene.stub.files[scene.target_path] = scene.target[:-1] + b"x"
    with pytest.raises(DownloadFailed, match="another tiny-target"):
        scene.pull()


def test_an_unpinned_file_is_checked_against_the_published_hash(scene: Scene) -> None:
    for role in ("target", "draft"):
        scene.pairs[0][role] |= {"revision": None, "sha256": None, "bytes": None}
    scene.write()
    scene.stub.faults[scene.target_path] = ["wrong"]
    events = scene.pull()
    assert any("damaged" in text for text in notices(events))
    file = records.load("tiny").files[0]  # type: ignore[union-attr]
    assert file.sha256 == file.path.readlink().name


def test_a_split_model_is_pulled_whole(scene: Scene) -> None:
    first, second = "big-00001-of-00002.gguf", "big-00002-of-00002.gguf"
    for name in (first, second):
        scene.stub.add_hub_file(REPO, name, scene.target)
    scene.pairs[0]["target"] |= {"file": first}
    scene.write()
    scene.pull()
    target = store.resolve("tiny").target
    assert target.name == first
    assert target.with_name(second).read_bytes() == scene.target


def test_a_damaged_file_in_the_cache_is_fetched_again(scene: Scene) -> None:
    """The shared cache may hold a damaged file: its name is no proof."""
    scene.pull()
    records.delete("tiny")
    target = scene.hub_file(REPO, TARGET)
    target.write_bytes(scene.target[:-1] + b"x")
    events = scene.pull()
    assert any("damaged" in text for text in notices(events))
    assert target.read_bytes() == scene.target
    assert scene.hub_file(DRAFT_REPO, DRAFT).is_symlink()


def test_without_the_right_to_link_one_copy_lies_on_disk(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B48: without symlink rights a pull failed or took the space twice."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError("A required privilege is not held by the client")

    monkeypatch.setattr(Path, "symlink_to", refuse)
    scene.pull()
    target = scene.hub_file(REPO, TARGET)
    assert target.is_file()
    assert not target.is_symlink()
    assert not list(target.parents[2].joinpath("blobs").iterdir())
    scene.stub.log.clear()
    scene.pull()
    assert scene.stub.log == []


def test_a_removal_ends_the_pull_that_is_under_way(scene: Scene) -> None:
    """It went on to fetch all bytes into a file that was gone, and ended without a next step."""
    scene.stub.faults[scene.target_path] = ["drip:20000"]
    pulling = pull(PullRequest("tiny"))
    begun = (event for event in pulling if isinstance(event, Progress))
    next(event for event in begun if event.state == "downloading" and event.done)
    remove("tiny")
    with pytest.raises(DownloadFailed, match="was removed while it was fetched") as caught:
        list(pulling)
    assert caught.value.hint
    assert store.installed() == []
    scene.pull()
    assert store.resolve("tiny").target.read_bytes() == scene.target
