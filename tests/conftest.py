"""Every test runs in a home of its own and without the network's hub."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing a test does may touch the developer's own files."""
    home = tmp_path_factory.mktemp("home")
    for name in ("CONFIG", "DATA", "CACHE"):
        monkeypatch.setenv(f"LOCALSPEC_{name}_DIR", str(home / name.lower()))
    monkeypatch.setenv("HF_HOME", str(home / "huggingface"))
    monkeypatch.delenv("NO_COLOR", raising=False)
    return home
