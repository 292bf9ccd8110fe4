"""The catalog against the hub: what differs is told, what can't be seen is not called different."""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import constants

from localspec.errors import SourceUnreachable, TooManyRequests
from localspec.models import catalog
from localspec.models.audit import Audit, EntryReport
from localspec.models.gguf_header import parse_header
from tests.models.scene import Scene
from tests.models.tiny_catalog import COMMIT, DRAFT, DRAFT_REPO, REPO, TARGET
from tests.tiny_gguf import write_model


@pytest.fixture
def listed(scene: Scene) -> Iterator[Scene]:
    scene.stub.add_repo(REPO, {TARGET: scene.target})
    scene.stub.add_repo(DRAFT_REPO, {DRAFT: scene.draft})
    yield scene


def audited(scene: Scene, headers: bool = True, **changes: Any) -> EntryReport:
    scene.pairs[0]["target"] |= changes
    scene.write()
    pair = catalog.find("tiny")
    assert pair
    asking = Audit(headers).entry(pair)
    while True:
        try:
            next(asking)
        except StopIteration as end:
            report: EntryReport = end.value
            return report


def test_what_is_true_is_true(listed: Scene) -> None:
    facts = {"n_layer": 2, "n_head_kv": 2, "n_vocab": 320, "ctx_train": 512}
    report = audited(listed, **facts)
    assert (report.state, report.differs, report.unknown) == ("true", (), ())
    target = report.files[0]
    assert (target.commit, target.bytes, target.revision) == (COMMIT, len(listed.target), COMMIT)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"bytes": 1000}, "and the catalog says 1000"),
        ({"sha256": "0" * 64}, f"and the catalog says {'0' * 64}"),
        ({"sha256": "0" * 64, "revision": None}, "its sha256 is"),
        ({"file": "other.gguf"}, "it is not there"),
        ({"repo": "maker/gone"}, f"there is no maker/gone at {COMMIT}"),
    ],
)
def test_a_file_that_differs(listed: Scene, changes: dict[str, Any], words: str) -> None:
    report = audited(listed, **changes)
    assert report.state == "differs"
    assert words in report.files[0].differs[0]
    assert report.files[1].differs == ()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"n_layer": 3}, "has 2 layers, and the catalog says 3"),
        ({"n_head_kv": 1}, "KV heads"),
        ({"n_vocab": 321}, "has 320 tokens in its vocabulary"),
        ({"ctx_train": 1024}, "tokens of context in training"),
        ({"params_b": 0.0002}, "billion parameters"),
    ],
)
def test_a_number_that_differs(listed: Scene, changes: dict[str, Any], words: str) -> None:
    report = audited(listed, **changes)
    assert report.state == "differs"
    assert words in report.differs[0]
    assert audited(listed, headers=False).state == "true"


def test_a_shared_matrix_may_be_counted_once(listed: Scene) -> None:
    """Qwen2.5-Coder-1.5B has 1.54 billion parameters by its makers and 1.78 in its file."""
    header = parse_header(Path("t"), BytesIO(listed.target), len(listed.target))
    once = header.num_parameters - header.tensors["output.weight"].elements
    for count in (header.num_parameters, once):
        assert audited(listed, params_b=count / 1e9).state == "true"


def test_licence_and_gate(listed: Scene) -> None:
    listed.stub.repos[REPO] |= {"gated": "auto", "cardData": {"license": "llama3.1"}}
    report = audited(listed)
    assert f"{REPO} is gated, and the catalog says false" in report.differs[0]
    assert "is llama3.1, and the catalog says apache-2.0" in report.differs[1]


def test_a_licence_that_isnt_told_is_not_compared(listed: Scene) -> None:
    del listed.pairs[0]["license"]
    assert audited(listed).state == "true"


def test_a_draft_that_doesnt_fit(listed: Scene) -> None:
    stranger = write_model(listed.home / "stranger.gguf", n_vocab=900).read_bytes()
    listed.stub.add_repo(DRAFT_REPO, {DRAFT: stranger})
    listed.pairs[0]["draft"] |= {"bytes": len(stranger), "sha256": None}
    [told] = audited(listed).differs
    assert "the draft doesn't fit the target: vocabulary sizes" in told


def test_what_is_no_model_differs(listed: Scene) -> None:
    listed.stub.add_repo(REPO, {TARGET: b"<html>" * 100})
    report = audited(listed, bytes=600, sha256=None)
    assert "the target can't be loaded" in report.differs[0]


@pytest.mark.parametrize("status", [401, 403])
def test_what_the_hub_hides_is_unknown(listed: Scene, status: int) -> None:
    """A gated model is no wrong entry."""
    for path in (listed.target_path, f"/api/models/{REPO}"):
        listed.stub.status = {path: status}
        report = audited(listed)
        assert report.state == "unknown"
        [told] = report.unknown
        assert f"status {status}" in told
        assert report.differs == ()


@pytest.mark.parametrize("status", [500, 503])
def test_a_fault_of_the_hub_says_nothing_of_the_entry(listed: Scene, status: int) -> None:
    listed.stub.status[f"/api/models/{REPO}"] = status
    with pytest.raises(SourceUnreachable, match=f"status {status}"):
        audited(listed)


def test_too_many_requests_end_it(listed: Scene) -> None:
    listed.stub.status[f"/api/models/{REPO}"] = 429
    with pytest.raises(TooManyRequests):
        audited(listed)


def test_no_network_says_nothing_of_the_entry(
    listed: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was known from before would pass for the truth of today."""
    assert audited(listed).state == "true"
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(SourceUnreachable):
        audited(listed)


def test_a_repository_is_asked_once(listed: Scene) -> None:
    listed.pairs[0]["alternatives"] = [
        listed.pairs[0]["draft"] | {"role": "draft", "kind": "draft", "quant": "Q8_0"}
    ]
    report = audited(listed)
    assert len(report.files) == 3
    asked = [path for _, path, _ in listed.stub.log if path.startswith("/api/")]
    assert len(asked) == 2
