"""Values that no setting takes, wherever they stand: one sentence."""

import pytest

from localspec import paths
from localspec.errors import UsageError
from localspec.settings import load_settings


@pytest.mark.parametrize(
    "text",
    [
        "ctx = " + "9" * 5000,
        "ctx = " + "[" * 5000,
        "ctx = 1e999",
        "ctx = nan",
        "ctx = 2024-01-01",
        "ctx = [1, 2]",
        "tensor_split = [1, nan]",
        'tensor_split = "1,-1"',
        'cache_type = "q4_0/q4_0/q4_0"',
        'system = "' + "x" * 100_000 + '"\nctx = "' + "y" * 100_000 + '"',
        "ctx",
        "x = 1",
        "ctx = 1\nctx = 2",
        "\x00",
    ],
)
def test_a_file_that_is_no_settings(text: str) -> None:
    """A number of 5,000 digits, and lists in lists, were an unexpected failure."""
    paths.config_file().parent.mkdir(parents=True, exist_ok=True)
    paths.config_file().write_text(text)
    with pytest.raises(UsageError) as caught:
        load_settings()
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("value", ["x", "[", "[" * 5000, "9" * 5000, "{}"])
def test_a_variable_that_is_no_setting(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """A list that is no JSON was an unexpected failure."""
    monkeypatch.setenv("LOCALSPEC_LOGIT_BIAS", value)
    with pytest.raises(UsageError, match="LOCALSPEC_"):
        load_settings()


def test_the_environment_stands_above_the_file_and_flags_above_both(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    paths.config_file().parent.mkdir(parents=True, exist_ok=True)
    paths.config_file().write_text(
        'ctx = 1024\ntop_k = 5\nrpc = "a:1,b:2"\n[keys]\n"chat.xray" = "f6"\n'
    )
    monkeypatch.setenv("LOCALSPEC_TOP_K", "7")
    monkeypatch.setenv("localspec_min_p", "0.5")
    monkeypatch.setenv("LOCALSPEC_LOGIT_BIAS", "[[1, -2.5]]")
    monkeypatch.setenv("LOCALSPEC_NO_SUCH_SETTING", "1")
    settings = load_settings(ctx=2048, temperature=None)
    assert (settings.ctx, settings.top_k, settings.min_p) == (2048, 7, 0.5)
    assert settings.rpc == ("a:1", "b:2")
    assert settings.logit_bias == ((1, -2.5),)
    assert settings.keys == {"chat.xray": "f6"}
