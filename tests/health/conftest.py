"""A machine without a network, a token or settings, for these tests."""

import os

import pytest

from localspec.credentials import PROXY_VARIABLES, TOKEN_VARIABLES


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    others = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "SSL_CERT_FILE", "CUDA_VISIBLE_DEVICES")
    for name in (*PROXY_VARIABLES, *TOKEN_VARIABLES, *others, "HF_HUB_CACHE", "HF_TOKEN_PATH"):
        monkeypatch.delenv(name, raising=False)
    for name in os.environ:
        if name.startswith("LOCALSPEC_") and not name.endswith("_DIR"):
            monkeypatch.delenv(name)
    # Nobody listens there.
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
