"""Cards and drivers are found, with or without the tools that come with them."""

import os
import sys
from pathlib import Path

import pytest

from localspec.health import drivers
from localspec.health.attempt import Attempt

SMI = """#!/bin/sh
echo "550.54.14, NVIDIA H100 80GB HBM3, 81559 MiB"
echo "550.54.14, NVIDIA H100 80GB HBM3, 81559 MiB"
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the tool is a shell script here")
def test_nvidia_is_asked_through_its_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "nvidia-smi"
    tool.write_text(SMI)
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(drivers, "_NVIDIA_S", 30.0)
    monkeypatch.setattr(drivers, "_cards", lambda: iter(()))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")
    facts, [finding] = drivers.drivers(drivers.ask_nvidia())
    assert facts["gpus"] == ["NVIDIA"]
    assert facts["drivers"]["NVIDIA"].startswith("550.54.14: NVIDIA H100 80GB HBM3, 81559 MiB + ")
    assert "CUDA_VISIBLE_DEVICES hides every GPU" in finding.text


def test_a_tool_that_fails_is_no_card() -> None:
    def fail() -> str:
        raise OSError("broken")

    for attempt in (Attempt(fail, 5.0), Attempt(lambda: "", 5.0)):
        facts, findings = drivers.drivers(attempt)
        assert ", " not in facts["drivers"].get("NVIDIA", "")
        assert not findings
