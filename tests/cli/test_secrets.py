"""No command prints the token or a password, however it ends."""

import pytest
from huggingface_hub import constants

from localspec.cli import main
from localspec.cli.failure import exit_on_failure
from localspec.models.sources.hub import HubSource
from tests.models.scene import Scene

TOKEN, PASSWORD = "hf_abcdefghijklmnopqrstuvwxyz", "open-sesame"


@pytest.fixture(params=["Bearer", "Basic"])
def sent(request: pytest.FixtureRequest, scene: Scene, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the hub is asked with: the token, or a mirror's password, which takes its place."""
    plain = scene.stub.url
    endpoint = plain.replace("//", f"//me:{PASSWORD}@") if request.param == "Basic" else plain
    template = endpoint + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "ENDPOINT", endpoint)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.setenv("PIP_INDEX_URL", f"http://me:{PASSWORD}@127.0.0.1:{scene.stub.port}/simple")
    return str(request.param)


@pytest.mark.parametrize("args", [["pull", "tiny"], ["pull", "tiny", "--json"]])
@pytest.mark.parametrize("status", [200, 401, 403, 404, 429, 500])
def test_a_pull_prints_no_secret(
    scene: Scene, sent: str, capfd: pytest.CaptureFixture[str], args: list[str], status: int
) -> None:
    scene.stub.redirect_host = "localhost"
    scene.stub.head_status = {scene.draft_path: status} if status != 200 else {}
    code = exit_on_failure(main.app, args, debug=True)
    assert code == (0 if status == 200 else 1)
    shown = "".join(capfd.readouterr())
    assert shown
    assert TOKEN not in shown
    assert PASSWORD not in shown
    assert any(word.startswith(sent) for _, word in scene.stub.tokens)


def test_a_traceback_shows_no_secret(
    scene: Scene,
    sent: str,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What nobody foresaw may quote anything."""

    def fail(*_: object) -> None:
        raise RuntimeError(f"sent Bearer {TOKEN} to http://me:{PASSWORD}@there/")

    monkeypatch.setattr(HubSource, "locate", fail)
    assert exit_on_failure(main.app, ["pull", "tiny"], debug=True) == 1
    shown = capfd.readouterr().err
    assert "Traceback" in shown
    assert "sent Bearer *** to http://***@there/" in shown
    assert TOKEN not in shown
    assert PASSWORD not in shown
