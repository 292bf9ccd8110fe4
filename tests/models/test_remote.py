"""Headers over ranges: a few megabytes of files of any size, from servers of every kind."""

import hashlib
from pathlib import Path

import gguf
import numpy as np
import pytest
from huggingface_hub import constants

from localspec import paths
from localspec.errors import BrokenModelFile, DownloadFailed
from localspec.models import head_store, remote
from localspec.models.events import Progress
from localspec.models.model_file import ModelFacts, read_model
from localspec.models.remote import remote_model
from localspec.models.selection import Wanted
from localspec.models.sources.hub import HubSource
from tests.models.hub_answers import Sparse, size_of
from tests.models.hub_stub import COMMIT, Content, serving
from tests.models.scene import Scene, finish, notices
from tests.tiny_gguf import byte_vocab, write_vocab

REPO, FILE = "maker/X-GGUF", "x-Q4_K_M.gguf"
PATH = f"/{REPO}/resolve/*/{FILE}"
HUGE = 40 * 10**9


def wanted(scene: Scene, content: Content, file: str = FILE) -> Wanted:
    scene.stub.add_hub_file(REPO, file, content)
    head = content if isinstance(content, bytes) else content.head
    digest = hashlib.sha256(head).hexdigest()
    return Wanted("target", REPO, file, "Q4_K_M", size_of(content), digest, COMMIT)


def read(*files: Wanted) -> ModelFacts:
    return finish(remote_model(files, HubSource()))[1]


def kept(ending: str) -> list[Path]:
    return list((paths.cache_dir() / "headers").glob(f"*{ending}"))


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "_FIRST", 2000)


def test_a_huge_file_tells_the_same_as_a_small_one(scene: Scene, tmp_path: Path) -> None:
    file = wanted(scene, Sparse(scene.target, HUGE))
    facts = read(file)
    here = tmp_path / FILE
    here.write_bytes(scene.target)
    local = read_model(here)
    assert facts.file_bytes == HUGE
    assert facts.path == Path(REPO, FILE)
    assert facts.parts[0].tensors == local.parts[0].tensors
    assert (facts.architecture, facts.n_layer) == (local.architecture, local.n_layer)
    assert facts.vocabulary.tokens.first_difference(local.vocabulary.tokens, 0) is None
    assert scene.stub.spans(FILE) == ["bytes=0-8388607"]


@pytest.mark.usefixtures("small_steps")
def test_more_is_asked_for_while_the_header_goes_on(scene: Scene) -> None:
    read(wanted(scene, Sparse(scene.target, HUGE)))
    assert scene.stub.spans(FILE) == ["bytes=0-1999", "bytes=2000-3999", "bytes=4000-7999"]
    [head] = kept(".head")
    assert head.read_bytes() == scene.target[:8000]
    assert kept(".partial") == []


@pytest.mark.usefixtures("small_steps")
def test_a_server_without_ranges_is_left_early(scene: Scene) -> None:
    """A server that ignores the range would have sent the whole file."""
    scene.stub.ignores_ranges = True
    facts = read(wanted(scene, Sparse(scene.target, HUGE)))
    assert facts.n_layer == 2
    assert scene.stub.sent_to(FILE) < 50_000_000


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("fault", ["cut:700", "short", "status:503", "long", "drip:400"])
def test_what_passes_is_gone_on_with(scene: Scene, fault: str) -> None:
    scene.stub.span_faults[PATH] = [fault]
    assert read(wanted(scene, Sparse(scene.target, HUGE))).n_layer == 2
    assert kept(".head")[0].read_bytes() == scene.target[:8000]


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("range:bytes 5-1999/40000000000", "another part than was asked for"),
        ("range:bytes 0-1999/77", "77 bytes instead of 40000000000"),
        ("range:bytes 0-1999/*", ""),
        ("range:nonsense", "another part"),
        ("range:", "another part"),
        ("status:416", "less than 40000000000 bytes"),
        ("status:404", "has no x-Q4_K_M.gguf"),
        ("status:418", "status 418"),
    ],
)
def test_an_answer_that_does_not_fit_is_one_sentence(scene: Scene, fault: str, words: str) -> None:
    scene.stub.span_faults[PATH] = [fault]
    file = wanted(scene, Sparse(scene.target, HUGE))
    if not words:
        read(file)
        return
    with pytest.raises(DownloadFailed, match=words) as caught:
        read(file)
    assert str(caught.value).isprintable()
    assert not kept("")


def test_a_line_that_keeps_failing_is_given_up_on(scene: Scene) -> None:
    scene.stub.span_faults[PATH] = ["cut:100", *["cut:0"] * 9]
    with pytest.raises(DownloadFailed, match=r"The header of x-Q4_K_M.gguf: .*100 of"):
        read(wanted(scene, scene.target))
    assert not kept("")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"<html>", "is not a GGUF file"),
        (b"GGUF" + b"\xff" * 60, "GGUF version"),
        (b"GGUF\3\0\0\0" + b"\xff" * 100, "damaged header"),
        (b"GGUF\3\0\0\0" + b"\0" * 8 + b"\1" + b"\0" * 7, "is truncated"),
        (b"", "is empty"),
    ],
)
def test_what_is_no_model_is_refused_by_its_header(
    scene: Scene, content: bytes, words: str
) -> None:
    with pytest.raises(BrokenModelFile, match=words) as caught:
        read(wanted(scene, content))
    assert "Choose another file" in str(caught.value)


def test_a_file_whose_weights_end_early_is_refused(scene: Scene) -> None:
    with pytest.raises(BrokenModelFile, match=r"truncated: .* bytes are missing"):
        read(wanted(scene, scene.target[:-1000]))


def test_a_second_look_needs_no_network(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    file = wanted(scene, Sparse(scene.target, HUGE))
    read(file)
    scene.stub.log.clear()
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert read(file).n_layer == 2
    assert scene.stub.log == []


@pytest.mark.parametrize("damage", [b"", b"GGUF", b"nonsense", b"GGUF\3\0\0\0" + b"\xff" * 99])
def test_a_damaged_head_is_read_anew(scene: Scene, damage: bytes) -> None:
    """A kept head that was damaged on this disk must not condemn the file."""
    file = wanted(scene, scene.target)
    read(file)
    [head] = kept(".head")
    head.write_bytes(damage)
    assert read(file).n_layer == 2
    assert head.read_bytes() == scene.target


def test_what_lies_here_is_read_here(scene: Scene) -> None:
    scene.pull()
    scene.stub.log.clear()
    pair = scene.pairs[0]["target"]
    file = Wanted("target", pair["repo"], pair["file"], "", None, None, None)
    assert read(file).n_layer == 2
    assert scene.stub.log == []


def test_closing_it_ends_a_silent_line(scene: Scene) -> None:
    """B25: reading a header could not be cancelled while the line was silent."""
    scene.stub.span_faults[PATH] = ["stall:10"]
    reading = remote_model([wanted(scene, scene.target)], HubSource())
    event = next(event for event in reading if isinstance(event, Progress) and event.done)
    assert event.state in ("reading", "waiting")
    reading.close()
    assert not kept("")


def test_all_that_is_kept_is_bounded(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head_store, "MAX_BYTES", 2 * len(scene.target))
    for number in range(5):
        read(wanted(scene, scene.target, f"{number}-Q4_K_M.gguf"))
    assert sum(path.stat().st_size for path in kept("")) <= head_store.MAX_BYTES


@pytest.mark.parametrize("away", ["host", "server"])
def test_a_mirror_that_hands_over_its_headers_says_so(scene: Scene, away: str) -> None:
    """B39: headers came from another host silently although a mirror was set."""
    file = wanted(scene, scene.target)
    with serving() as cdn:
        cdn.files = scene.stub.files
        if away == "host":
            scene.stub.redirect_host = "localhost"
        else:
            scene.stub.redirect_url = cdn.url.replace("127.0.0.1", "localhost")
        events, facts = finish(remote_model([file], HubSource()))
    assert facts.n_layer == 2
    assert notices(events) == [
        f"{scene.stub.url} (from HF_ENDPOINT) sends the bytes of {FILE} from localhost."
    ]


def test_every_part_of_a_set_is_read(scene: Scene, tmp_path: Path) -> None:
    first, second = split(tmp_path)
    names = [f"x-Q4_K_M-0000{number}-of-00002.gguf" for number in (1, 2)]
    files = [wanted(scene, data, name) for data, name in zip((first, second), names, strict=True)]
    facts = read(*files)
    assert facts.file_bytes == len(first) + len(second)
    assert [len(part.tensors) for part in facts.parts] == [1, 1]
    cut = wanted(scene, second[:-8], names[1])
    with pytest.raises(BrokenModelFile, match=r"00002-of-00002.*truncated"):
        read(files[0], cut)


def split(folder: Path) -> tuple[bytes, bytes]:
    """Two parts of one model, as llama.cpp splits it."""
    facts = {"llama.block_count": 2, "split.count": 2}
    weights = [{f"blk.{n}.attn_q.weight": np.zeros((4, 8), np.float32)} for n in (0, 1)]
    first = write_vocab(
        folder / "1.gguf", byte_vocab(), extra_kv=facts | {"split.no": 0}, tensors=weights[0]
    )
    writer = gguf.GGUFWriter(folder / "2.gguf", "llama")
    writer.add_uint16("split.no", 1)
    writer.add_uint16("split.count", 2)
    for name, array in weights[1].items():
        writer.add_tensor(name, array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return first.read_bytes(), (folder / "2.gguf").read_bytes()
