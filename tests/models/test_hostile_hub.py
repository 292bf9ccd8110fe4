"""Servers that answer what no hub answers: each costs one sentence, and neither memory nor time."""

import pytest

from localspec.errors import DownloadFailed, LocalspecError
from localspec.models.sources import transfer
from tests.models.any_repo import ANY, FILE, PATH
from tests.models.scene import Scene
from tests.models.tiny_catalog import COMMIT, TARGET

API = f"/api/models/{ANY}"
NAME = f"{ANY}:Q4_K_M"
READ = 24 * 2**20
"""Bytes that may lie between two sockets unread."""


def refused(scene: Scene) -> LocalspecError:
    with pytest.raises(LocalspecError) as caught:
        scene.pull(NAME, with_draft=False)
    told = str(caught.value)
    assert told.isprintable()
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize("status", [302, 400, 403, 418, 500])
@pytest.mark.parametrize("where", ["list", "header", "file"])
def test_a_body_that_nobody_asked_for_is_not_read(
    hub: Scene, where: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refusal or a redirect with an endless body filled the memory until the system killed us."""
    monkeypatch.setattr(transfer, "_PAUSES_S", ())
    path = API if where == "list" else PATH
    faults = hub.stub.span_faults if where == "header" else hub.stub.faults
    faults[path] = [f"endless:{status}"] * 20
    refused(hub)
    num_answers = 20 - len(faults[path])
    assert num_answers
    assert hub.stub.sent_to(path) < READ * num_answers


@pytest.mark.parametrize("where", ["list", "header", "file"])
def test_redirects_in_a_circle_are_told_at_once(hub: Scene, where: str) -> None:
    """They were tried again for half a minute."""
    path = API if where == "list" else PATH
    faults = hub.stub.span_faults if where == "header" else hub.stub.faults
    faults[path] = ["circle"] * 20
    assert "redirects from one address to the next" in refused(hub).message
    assert len(faults[path]) >= 9, "tried again"


@pytest.mark.parametrize("where", ["list", "header", "file"])
def test_what_is_packed_is_not_unpacked(hub: Scene, where: str) -> None:
    """A list of 3 kB unpacked to 3 GB."""
    path = API if where == "list" else PATH
    faults = hub.stub.span_faults if where == "header" else hub.stub.faults
    faults[path] = ["packed"]
    assert "packed" in refused(hub).message


def test_a_body_of_strange_json_is_no_failure_of_ours(hub: Scene) -> None:
    """The library looked for an error's words in a refusal's body, and failed where that is a
    list."""
    hub.stub.status[API] = 403
    hub.stub.body = b"[1, [2]]"
    assert "status 403" in refused(hub).message


def test_a_line_that_is_silent_for_minutes_is_given_up_on(
    hub: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Interim answers without an end kept a pull waiting for ever: no time limit ran."""
    monkeypatch.setattr(transfer, "_SILENT_S", 0.5)
    hub.stub.faults[PATH] = ["silent"]
    error = refused(hub)
    assert isinstance(error, DownloadFailed)
    assert f"{FILE}: no byte came for" in error.message


def test_a_resumed_answer_may_begin_earlier(hub: Scene) -> None:
    """A server that sent all of a file as a part was taken at its word twice, and then refused."""
    hub.stub.faults[PATH] = ["cut:1000", "whole"]
    hub.pull(NAME, with_draft=False)
    assert hub.stub.fetched(PATH) == ["", "bytes=1000-"]


def test_the_file_is_fetched_from_the_commit_that_was_looked_up(scene: Scene) -> None:
    """A branch that moved between two requests mixed two files where nobody tells a hash."""
    for role in ("target", "draft"):
        for field in ("revision", "sha256", "bytes"):
            del scene.pairs[0][role][field]
    scene.write()
    scene.pull()
    asked = [path.split("/")[4] for path, _ in scene.stub.tokens if path.endswith(TARGET)]
    assert set(asked) == {"main", COMMIT}
    assert asked[-1] == COMMIT


@pytest.mark.parametrize("where", ["list", "header"])
def test_what_is_no_http_is_not_repeated(
    hub: Scene, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bytes that came instead of an answer were shown as Python writes them."""
    monkeypatch.setattr(transfer, "_PAUSES_S", ())
    hub.stub.faults[API] = ["junk"] if where == "list" else []
    hub.stub.span_faults[PATH] = ["junk"]
    assert "what came is no HTTP answer" in refused(hub).message
