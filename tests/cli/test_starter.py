"""The first run: the starter pair is offered, and nothing is pulled that nobody wants."""

from collections.abc import Iterator
from typing import Any

import pytest

from localspec.bench import bandwidth
from localspec.cli import machine_options, progress, recommend, starter
from localspec.errors import NotPulled, UnknownModel
from localspec.models import pull as pull_module
from localspec.models.placement import MemoryOf
from localspec.settings import load_settings
from tests.conftest import TinyFiles, register


@pytest.fixture
def pulls(monkeypatch: pytest.MonkeyPatch, tiny_files: TinyFiles) -> list[str]:
    """The names that were pulled; a pull registers a tiny pair."""
    pulled: list[str] = []

    def pull(request: Any) -> Iterator[Any]:
        pulled.append(request.name)
        register(request.name, target=tiny_files.target, draft=tiny_files.draft)
        yield from ()

    monkeypatch.setattr(pull_module, "pull", pull)
    monkeypatch.setattr(progress, "follow", lambda events, **_: list(events))
    return pulled


def on_a_terminal(monkeypatch: pytest.MonkeyPatch, *answers: str) -> list[str]:
    """A user who gives these answers, then takes what is proposed; the questions asked."""
    asked: list[str] = []

    def prompt(question: str, default: str, **_: Any) -> str:
        asked.append(question)
        return answers[len(asked) - 1] if len(asked) <= len(answers) else default

    for stream in ("stdin", "stderr"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True)
    monkeypatch.setattr(starter.typer, "prompt", prompt)
    return asked


def test_without_a_terminal_it_is_pulled_without_asking(pulls: list[str]) -> None:
    assert starter.ensure_model(load_settings(), False) == starter.STARTER
    assert pulls == [starter.STARTER]
    assert starter.ensure_model(load_settings(), False) == starter.STARTER
    assert len(pulls) == 1


def test_on_a_terminal_the_size_is_stated_and_a_no_is_a_no(
    pulls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = on_a_terminal(monkeypatch, "N")
    with pytest.raises(NotPulled, match="localspec pull"):
        starter.ensure_model(load_settings(), False)
    assert pulls == []
    assert "1.6 GB" in asked[0]


def test_a_yes_or_the_flag_pulls(pulls: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    asked = on_a_terminal(monkeypatch)
    starter.ensure_model(load_settings(), True)
    assert (asked, pulls) == ([], [starter.STARTER])


@pytest.mark.parametrize(("answers", "chosen"), [(("r", "1"), 0), (("what", "r", "4", "2"), 1)])
def test_the_first_run_offers_what_suits_the_machine(
    pulls: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    answers: tuple[str, ...],
    chosen: int,
) -> None:
    """It named the command, and pulled the starter or nothing: who wanted more began anew."""
    monkeypatch.setattr(bandwidth, "measure", lambda threads: 40e9)
    devices = (MemoryOf("CPU", "cpu", 64 * 10**9, 64 * 10**9),)
    monkeypatch.setattr(machine_options, "machine", lambda *_: devices)
    asked = on_a_terminal(monkeypatch, *answers)
    name = starter.ensure_model(load_settings(), False)
    told = capsys.readouterr().err.splitlines()
    first = next(number for number, line in enumerate(told) if line.startswith("NAME"))
    assert [name] == pulls == [told[first + 1 + chosen].split()[0]]
    assert "r for the pairs that suit this machine" in asked[0]


def test_of_what_suits_the_machine_none_may_be_taken(
    pulls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recommend, "weighed", lambda: ((), {}, []))
    monkeypatch.setattr(recommend, "lines", lambda *_: [])
    on_a_terminal(monkeypatch, "r", "n")
    with pytest.raises(NotPulled):
        starter.ensure_model(load_settings(), False)
    on_a_terminal(monkeypatch, "r")
    assert starter.ensure_model(load_settings(), False) == starter.STARTER


def test_a_pair_that_is_here_is_used_rather_than_pulling_the_default(
    pulls: list[str], tiny_pair: str
) -> None:
    assert starter.ensure_model(load_settings(), False) == tiny_pair
    assert starter.ensure_model(load_settings(model=starter.STARTER), False) == starter.STARTER
    assert pulls == [starter.STARTER]


def test_another_model_is_never_pulled_unasked(pulls: list[str]) -> None:
    with pytest.raises(NotPulled, match="localspec pull llama3-70b"):
        starter.ensure_model(load_settings(model="llama3-70b"), True)
    with pytest.raises(UnknownModel):
        starter.ensure_model(load_settings(model="nosuch"), True)
    assert pulls == []
