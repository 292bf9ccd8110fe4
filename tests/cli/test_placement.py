"""Flags, environment and file that say where models go, through the commands."""

import json
from pathlib import Path

import pytest

from localspec.backends import local
from localspec.backends.interface import LoadRequest
from localspec.cli.request import load_request
from localspec.errors import UsageError
from localspec.models import store
from localspec.settings import load_settings
from tests.cli.invoke import invoke

QUICK = ["-p", "Hi", "-n", "4", "--ctx", "512", "--threads", "1"]
MOVED = {
    "--gpu-layers": "3",
    "--draft-gpu-layers": "0",
    "--device": "cpu",
    "--draft-device": "cpu",
    "--cpu-experts": "all",
    "--flash-attention": "on",
    "--cache-type": "bf16/f16",
    "--draft-cache-type": "f32",
    "--threads": "2",
}


@pytest.mark.parametrize(
    ("flag", "value", "sentence"),
    [
        ("--gpu-layers", "many", "'many' is not a number of layers. Use auto or a number from 0."),
        ("--gpu-layers", "-1", "is not a number of layers"),
        ("--gpu-layers", "99999999999", "gpu_layers = 99999999999: "),
        ("--gpu-layers", "9" * 5000, "is not a number of layers"),
        ("--cpu-experts", "9" * 5000, "is not a number of layers"),
        ("--cpu-experts", "some", "Use all or a number from 0."),
        ("--device", "CUDA7", "There is no device 'CUDA7'. Choose one of: auto, cpu."),
        ("--draft-device", "CUDA7", "There is no device 'CUDA7'."),
        ("--tensor-split", "3,1", "--tensor-split has 2 shares for 0 devices (none)."),
        ("--tensor-split", "3,x", "tensor_split"),
        ("--tensor-split", "0,0", "it must have a share above 0"),
        ("--tensor-split", "inf,1", "tensor_split"),
        ("--flash-attention", "maybe", "maybe"),
        ("--cache-type", "q9", "cache_type = 'q9': it must be one of f32, f16"),
        ("--cache-type", "q8_0/f16/f16", "it must be one of"),
        ("--cache-type", "q8_0", "it takes 32 numbers at a time, and target.gguf has heads of 16."),
        ("--draft-cache-type", "q8_0", "--draft-cache-type q8_0: it takes 32 numbers at a time"),
        ("--threads", "0", "threads"),
        ("--ctx", "99999999999", "ctx"),
        ("--rpc", "here", "rpc"),
    ],
)
def test_a_bad_value_is_one_line_and_exit_2(
    flag: str, value: str, sentence: str, tiny_pair: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done = invoke(capsys, "run", tiny_pair, *QUICK, flag, value)
    assert done.code == 2
    assert done.out == ""
    assert sentence in done.err
    assert done.err.count("\n") == 1


def test_every_flag_reaches_the_load(
    tiny_pair: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--threads` of the draft, and whatever else had been forgotten on the way."""
    asked: list[LoadRequest] = []

    class Backend(local.LocalBackend):
        def __init__(self, request: LoadRequest) -> None:
            asked.append(request)
            super().__init__(request)

    monkeypatch.setattr(local, "LocalBackend", Backend)
    # A pair that was loaded before is loaded in this process.
    store.touch(tiny_pair)
    flags = [part for pair in MOVED.items() for part in pair]
    done = invoke(capsys, "run", tiny_pair, *QUICK[:-2], *flags, "--fresh", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["placement"] == {"target": "CPU", "draft": "CPU", "ctx": 512}
    (request,) = asked
    assert request == LoadRequest(
        name=tiny_pair, ctx=512, gpu_layers=3, draft_gpu_layers=0, device="cpu",
        draft_device="cpu", cpu_experts="all", flash_attention="on", cache_type="bf16/f16",
        draft_cache_type="f32", threads=2, fresh=True, chosen=request.chosen,
    )  # fmt: skip
    assert request.chosen == {"ctx", *(flag[2:].replace("-", "_") for flag in MOVED)}


def test_the_file_and_the_environment_are_choices_too(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = own_home / "config" / "config.toml"
    config.parent.mkdir()
    config.write_text('rpc = ["a:1", "b:2"]\ncpu_experts = "all"\n')
    monkeypatch.setenv("LOCALSPEC_TENSOR_SPLIT", "3, 1")
    monkeypatch.setenv("LOCALSPEC_CTX", "4096")
    request = load_request("m", load_settings(rpc="c:3,d:4"))
    assert request.rpc == ("c:3", "d:4")
    assert (request.tensor_split, request.cpu_experts, request.ctx) == ((3.0, 1.0), "all", 4096)
    assert request.chosen == {"rpc", "cpu_experts", "tensor_split", "ctx"}
    assert load_request("m", load_settings()).rpc == ("a:1", "b:2")
    monkeypatch.setenv("LOCALSPEC_TENSOR_SPLIT", "3;1")
    with pytest.raises(UsageError, match="tensor_split"):
        load_settings()


@pytest.mark.parametrize("command", ["run", "chat", "compare", "bench", "doctor"])
def test_every_command_that_loads_takes_them(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    shown = invoke(capsys, command, "--help").out
    for flag in [*MOVED, "--tensor-split", "--rpc", "--fresh"]:
        assert f"{flag} " in shown, flag
