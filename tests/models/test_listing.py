"""What the hub tells of a repository, honest or not, and what is known without it."""

from typing import Any

import pytest
from huggingface_hub import constants

from localspec.errors import DownloadFailed, LocalspecError, SourceUnreachable
from localspec.models.sources import listing
from localspec.models.sources.hub import HubSource
from localspec.models.sources.listing import Listing, list_repo
from tests.models.hub_stub import COMMIT
from tests.models.scene import Scene, finish, notices

REPO = "maker/X-GGUF"
API = f"/api/models/{REPO}"


def ask(revision: str | None = None) -> Listing:
    return finish(list_repo(REPO, revision, HubSource()))[1]


def test_files_with_sizes_and_hashes_at_a_commit(scene: Scene) -> None:
    scene.stub.add_repo(REPO, {"Q4/x-Q4_0.gguf": b"abc", "README.md": b"x"}, gated="manual")
    found = ask("v1.0/x")
    assert (found.commit, found.license, found.gated) == (COMMIT, "apache-2.0", True)
    [file] = found.files
    assert (file.file, file.bytes) == ("Q4/x-Q4_0.gguf", 3)
    assert file.sha256 is not None
    assert scene.stub.tokens[-1][0] == f"{API}/revision/v1.0%2Fx?blobs=true"


def test_a_licence_that_is_called_other_has_a_name(scene: Scene) -> None:
    card = {"license": "other", "license_name": "tongyi"}
    scene.stub.add_repo(REPO, {}, cardData=card)
    assert ask().license == "tongyi"
    scene.stub.add_repo(REPO, {}, cardData=None, tags=["gguf", "license:mit"])
    assert ask().license == "mit"


@pytest.mark.parametrize("facts", [{"tags": None}, {"cardData": []}, {"gated": None}])
def test_facts_that_are_only_told_on_stop_nothing(scene: Scene, facts: dict[str, Any]) -> None:
    """A list without tags was no list."""
    scene.stub.add_repo(REPO, {"x-Q4_0.gguf": b"abc"}, **facts)
    assert [file.file for file in ask().files] == ["x-Q4_0.gguf"]


def test_names_and_sizes_that_no_honest_list_has_are_left_out(scene: Scene) -> None:
    """A server's name must not lead out of the cache, nor its size be believed."""
    siblings = [
        {"rfilename": name, "size": size}
        for name, size in [
            ("../../evil.gguf", 1),
            ("/tmp/evil.gguf", 1),
            ("a\x1b[2J.gguf", 1),
            ("x/" * 500 + "a.gguf", 1),
            ("negative.gguf", -1),
            ("huge.gguf", 2**70),
            ("text.gguf", "1"),
            ("true.gguf", True),
            (7, 7),
            ("good.gguf", 1),
        ]
    ]
    scene.stub.add_repo(REPO, {}, siblings=[*siblings, {}, {"rfilename": None}])
    assert [file.file for file in ask().files] == ["good.gguf"]


@pytest.mark.parametrize(
    "lie",
    [
        {"sha": "../../evil"},
        {"sha": None},
        {"siblings": "many"},
        {"siblings": [1, 2]},
        {"siblings": [{"rfilename": f"{n}.gguf", "size": 1} for n in range(3000)]},
    ],
)
def test_an_answer_that_is_no_list_is_one_sentence(scene: Scene, lie: dict[str, Any]) -> None:
    scene.stub.add_repo(REPO, {}, **lie)
    with pytest.raises(DownloadFailed) as caught:
        ask()
    assert REPO in str(caught.value)


def test_an_endless_list_is_not_read_to_its_end(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "_LIMIT", 200_000)
    scene.stub.add_repo(REPO, {}, padding="x" * 30_000_000)
    with pytest.raises(DownloadFailed, match="more of maker/X-GGUF than can be read"):
        ask()
    assert scene.stub.sent_to(API) < 20_000_000


@pytest.mark.parametrize("status", [401, 403, 404, 429, 503])
def test_each_refusal_is_a_sentence(scene: Scene, status: int) -> None:
    scene.stub.status[API] = status
    with pytest.raises((DownloadFailed, SourceUnreachable)) as caught:
        ask()
    assert "HF_ENDPOINT" in str(caught.value)
    assert str(caught.value).isprintable()


def test_without_the_hub_the_last_answer_counts(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B39: a second check of the same repository needed the network again."""
    scene.stub.add_repo(REPO, {"x-Q4_0.gguf": b"abc"})
    first = ask()
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    events, again = finish(list_repo(REPO, None, HubSource()))
    assert again == first
    [notice] = notices(events)
    assert "can't be reached" in notice
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    scene.stub.log.clear()
    assert ask() == first
    assert scene.stub.log == []


def test_without_the_hub_its_cache_tells_what_is_here(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B39: what another program had fetched could not be used offline."""
    folder = scene.hub_file(REPO, "Q4/x-Q4_0.gguf")
    folder.parent.mkdir(parents=True)
    folder.write_bytes(b"abc")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    found = ask()
    assert found.commit == COMMIT
    assert [(file.file, file.bytes) for file in found.files] == [("Q4/x-Q4_0.gguf", 3)]


def test_offline_and_unknown_names_the_setting(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(LocalspecError, match="HF_HUB_OFFLINE"):
        ask()
