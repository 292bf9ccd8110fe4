"""`localspec compare`: what it says of its result."""

import dataclasses
import json

import pytest

from localspec.chat.comparison import ArmResult, Comparison
from localspec.cli import compare
from tests.cli.invoke import invoke

OFF = ArmResult("off", 10.0, (9.9, 10.1), 0.1, 0.2, 24, None, None, "off", "turned off", [])
ON = ArmResult("on", 8.0, (7.9, 8.1), 0.1, 0.2, 24, 0.4, 1.8, "active", "", [])
SLOWER = Comparison(OFF, ON, 0.8, (0.79, 0.81), True, None)


def said(result: Comparison, capsys: pytest.CaptureFixture[str]) -> str:
    compare._print(result)
    return capsys.readouterr().out


def test_slower_is_called_slower(capsys: pytest.CaptureFixture[str]) -> None:
    """Speculation was slower than plain decoding and nothing said so (B02)."""
    assert "speed-up  0.80x (slower), runs 0.79 to 0.81" in said(SLOWER, capsys)
    faster = dataclasses.replace(SLOWER, speedup=1.2, speedup_spread=(1.1, 1.3))
    assert "slower" not in said(faster, capsys)
    # What is shown as 1.00x is called neither.
    same = dataclasses.replace(SLOWER, speedup=0.998)
    assert "1.00x, runs" in said(same, capsys)


def test_nothing_drafted_has_a_reason(capsys: pytest.CaptureFixture[str]) -> None:
    idle = dataclasses.replace(
        ON, acceptance_rate=None, state="idle", state_reason="wouldn't pay here"
    )
    words = said(dataclasses.replace(SLOWER, on=idle), capsys)
    assert "Speculation was idle (wouldn't pay here): nothing was drafted" in words
    broken = dataclasses.replace(ON, state="off", state_reason="the draft model failed: x")
    words = said(dataclasses.replace(SLOWER, on=broken), capsys)
    assert "Speculation is off (the draft model failed: x)." in words


def test_json_has_the_ratio_and_the_states(
    tiny_pair: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["-n", "12", "--ctx", "512", "--threads", "1", "--repeats", "1", "--json"]
    done = invoke(capsys, "compare", tiny_pair, "--num-draft-tokens", "2", *options)
    report = json.loads(done.out)
    assert report["speedup"] > 0
    assert (report["off"]["state"], report["on"]["state"]) == ("off", "active")
    assert report["off"]["state_reason"] == "turned off"
    assert report["on"]["stats"][0]["native_s"] > 0


@pytest.mark.parametrize("flag", ["--plain", "--json"])
def test_the_report_alone_needs_no_screen(
    tiny_pair: str, flag: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compare, "has_screen", lambda: True)
    monkeypatch.setattr(compare, "_raced", lambda *args: pytest.fail("a screen was opened"))
    options = ["-n", "4", "--ctx", "512", "--threads", "1", "--repeats", "1", flag]
    done = invoke(capsys, "compare", tiny_pair, *options)
    assert done.code == 0
    assert ("speedup" if flag == "--json" else "speed-up") in done.out
