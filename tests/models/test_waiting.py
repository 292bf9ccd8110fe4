"""The hub's facts, asked for once more where it falters."""

from collections.abc import Callable

import pytest

from localspec.errors import DownloadFailed, SourceUnreachable
from localspec.models.events import Event
from localspec.models.locating import locate
from localspec.models.selection import Wanted
from localspec.models.sources import waiting
from localspec.models.sources.hub import HubSource
from localspec.models.sources.listing import ask_listing
from tests.models.scene import Scene, finish, notices
from tests.models.tiny_catalog import COMMIT, REPO, TARGET

WANTED = Wanted("target", REPO, TARGET, "Q8_0", None, None, COMMIT)
API = f"/api/models/{REPO}"
Ask = Callable[[Scene, list[str]], list[Event]]


def list_files(scene: Scene, faults: list[str]) -> list[Event]:
    scene.stub.add_repo(REPO, {TARGET: scene.target})
    scene.stub.faults[API] = faults
    return finish(ask_listing(REPO, None))[0]


def facts_of_a_file(scene: Scene, faults: list[str]) -> list[Event]:
    scene.stub.head_faults[scene.target_path] = faults
    return finish(locate(WANTED, HubSource()))[0]


@pytest.fixture(params=[list_files, facts_of_a_file])
def ask(request: pytest.FixtureRequest) -> Ask:
    asked: Ask = request.param
    return asked


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("status:503", "has a fault of its own: it answered with status 503. Asking once more."),
        ("status:500", "status 500. Asking once more."),
        ("gone", "the connection was closed early. Asking once more."),
    ],
)
def test_one_fault_ends_nothing(scene: Scene, ask: Ask, fault: str, words: str) -> None:
    """A single 503 or a dropped connection ended a command, though downloads tried again."""
    [told] = notices(ask(scene, [fault]))
    assert words in told


def test_the_second_fault_is_the_end(scene: Scene, ask: Ask) -> None:
    with pytest.raises(SourceUnreachable, match="status 502"):
        ask(scene, ["status:503", "status:502", "never asked for"])
    num_asked = len([path for _, path, _ in scene.stub.log if path in (API, scene.target_path)])
    assert num_asked == 2


def test_a_limit_is_no_fault(scene: Scene, ask: Ask) -> None:
    """A hub that asks to wait must not be asked again at once."""
    scene.stub.headers = {"Retry-After": "30"}
    with pytest.raises(DownloadFailed, match="limits requests") as caught:
        ask(scene, ["status:429", "never asked for"])
    assert "in 30 seconds" in str(caught.value)
    assert len(scene.stub.log) == 1


def test_where_nobody_listens_nobody_is_asked_twice(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is known without the hub must not wait for it."""
    monkeypatch.setattr(waiting, "_PAUSE_S", 60)
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(SourceUnreachable, match="nobody listens"):
        finish(ask_listing(REPO, None))
