"""`localspec fit` and `localspec recommend`: what they print."""

import json

import pytest

from localspec.bench import bandwidth
from localspec.models.quants import USUAL
from tests.cli.invoke import invoke
from tests.models.hub_answers import Sparse
from tests.models.scene import Scene

CARD = ("--gpu", "24GB", "--ram", "64GB")


@pytest.fixture(autouse=True)
def steady_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bandwidth, "measure", lambda threads: 40e9)


def test_a_table_of_quantisations_and_contexts(capsys: pytest.CaptureFixture[str]) -> None:
    done = invoke(capsys, "fit", "llama3-70b", *CARD)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "llama3-70b, draft Q4_K_M 807.7 MB"
    assert lines[1] == "on GPU0 24.0 of 24.0 GB free, memory 64.0 of 64.0 GB free"
    assert lines[3].split() == ["QUANT", "SIZE", "4k", "8k", "16k", "32k", "64k", "128k"]
    rows = {line.split()[0]: line for line in lines[4 : 4 + len(USUAL)]}
    assert set(rows) == {f"~{quant}" for quant in USUAL if quant != "Q4_K_M"} | {"Q4_K_M"}
    assert "/81 " in rows["Q4_K_M"]
    assert rows["~Q8_0"].rstrip().endswith("no")
    assert max(map(len, lines[3:12])) <= 110


def test_one_context_and_another_quantisation_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    done = invoke(capsys, "fit", "qwen2.5-7b", "--ctx", "8192", "--quant", "q8_0", "--json", *CARD)
    told = json.loads(done.out)
    assert [len(each["contexts"]) for each in told["quants"]] == [1] * len(told["quants"])
    shown = told["shown"]
    assert (shown["quant"], shown["n_ctx"], shown["fits"]) == ("Q8_0", 8192, True)
    assert (shown["devices"], shown["draft_device"]) == (["GPU0"], "GPU0")
    assert sum(use["needed"] for use in shown["uses"]) > 8e9
    assert {each["origin"] for each in told["quants"]} == {"catalog", "usual"}


def test_a_pair_on_this_disk_by_its_headers(
    tiny_pair: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told = json.loads(invoke(capsys, "fit", tiny_pair, "--json", "--gpu", "none").out)
    assert [each["exact"] for each in told["quants"] if each["origin"] == "disk"] == [True]
    assert told["shown"]["devices"] == []


def test_the_estimate_beside_what_is_allocated(
    tiny_pair: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told = json.loads(invoke(capsys, "fit", tiny_pair, "--measure", "--ctx", "4096", "--json").out)
    assert [each["role"] for each in told["models"]] == ["target", "draft"]
    for each in told["models"]:
        sizes = each["cache"]
        assert sizes["estimate"] == pytest.approx(sizes["allocated"], rel=0.05)
    text = invoke(capsys, "fit", tiny_pair, "--measure", "--ctx", "4096").out.splitlines()
    assert text[1].split() == ["MODEL", "DEVICE", "WEIGHTS", "CACHE", "COMPUTE", "TOTAL"]
    assert "-0.0 %" not in "".join(text)


def test_a_repository_by_its_header_and_its_list(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    """Quantisations that the repository doesn't hold were shown for any model."""
    files = {
        "Any-7B-Q4_K_M.gguf": Sparse(scene.target, 5 * 10**9),
        "Any-7B-Q8_0.gguf": Sparse(scene.target, 8 * 10**9),
        "mmproj-Any-7B-F16.gguf": Sparse(scene.target, 10**9),
    }
    scene.stub.add_repo("someone/Any-7B-GGUF", files)
    told = json.loads(invoke(capsys, "fit", "someone/Any-7B-GGUF", "--json", *CARD).out)
    found = {each["quant"]: each["origin"] for each in told["quants"]}
    assert found == {"Q8_0": "hub", "Q4_K_M": "hub"}
    lists = [path for _, path, _ in scene.stub.log if path.startswith("/api/")]
    assert len(lists) == 1, "the repository was listed twice"
    told = invoke(capsys, "fit", "someone/Any-7B-GGUF", *CARD).out
    assert told.splitlines()[-1] == "Q4_K_M by its header, the others by their sizes."
    shown = invoke(capsys, "fit", "hf.co/someone/Any-7B-GGUF:Q8_0", *CARD).out
    assert "Q8_0 with a context of 512" in shown
    assert "~" not in shown
    assert "By the catalog's numbers" not in shown


@pytest.mark.parametrize(
    ("gpu", "words"),
    [("24GB", ": localspec pull llama3-70b --quant "), ("none", "`localspec recommend`")],
)
def test_what_does_not_fit_names_what_does(
    gpu: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A table of "no" ended without a way on."""
    assert words in invoke(capsys, "fit", "llama3-70b", "--gpu", gpu, "--ram", "24GB").out


def test_a_longer_context_than_the_models_is_not_promised(
    tiny_pair: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table showed the memory of a context that no load would make."""
    done = invoke(capsys, "fit", tiny_pair, "--ctx", "100000", "--gpu", "none")
    trained = done.err.split("trained on ")[1].split()[0]
    assert f"with a context of {trained}:" in done.out
    assert "100000" not in done.out


def test_of_an_unknown_size_the_hub_can_be_asked(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    """The way on was a pull of all of it."""
    bare = scene.pairs[0]["target"] | {"bytes": None}
    scene.pairs = [scene.pairs[0] | {"target": bare}]
    scene.write()
    done = invoke(capsys, "fit", "tiny")
    assert done.code == 2
    assert f"`localspec fit {bare['repo']}:{bare['quant']}` asks the hub." in done.err


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["nosuch"], 2, "No model is called"),
        (["gemma4-12b", "--quant", "Q1_X"], 2, "Choose from"),
        (["starter", "--gpu", "lots"], 2, "no size"),
        (["starter", "--cache-type", "q3_k"], 2, "cache_type"),
        (["starter", "--measure"], 1, "not on this disk"),
        (["starter", "--ctx", "3"], 2, "ctx"),
    ],
)
def test_refusals(
    args: list[str], code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done = invoke(capsys, "fit", *args)
    assert done.code == code
    assert words in done.err
    assert done.err.count("\n") == 1


def test_a_measure_of_another_machine_is_refused(
    tiny_pair: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """--measure with --gpu asked llama.cpp for a device that is made up."""
    done = invoke(capsys, "fit", tiny_pair, "--measure", *CARD)
    assert done.code == 2
    assert "--measure" in done.err


def test_three_pairs_are_recommended_with_speed_and_needs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = invoke(capsys, "recommend", *CARD)
    lines = done.out.splitlines()
    assert (done.code, len([line for line in lines if "tok/s" in line])) == (0, 3)
    assert lines[0].endswith("memory reads 40 GB/s")
    first, quant = lines[3].split()[:2]
    assert lines[-1] == f"To get the first: localspec pull {first}:{quant}"


def test_on_a_small_cpu_it_says_that_drafting_will_not_pay(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told = invoke(capsys, "recommend", "--gpu", "none", "--ram", "8GB").out
    assert "won't pay" in told


def test_what_is_here_is_not_to_be_pulled(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The way on was a pull, also of a pair on this disk."""
    from dataclasses import replace

    from localspec.bench import recommend

    real = recommend.recommend
    monkeypatch.setattr(
        recommend, "recommend", lambda *args: [replace(each, download=0) for each in real(*args)]
    )
    assert "The first is on this disk: localspec chat " in invoke(capsys, "recommend", *CARD).out


def test_a_machine_for_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    told = invoke(capsys, "recommend", "--gpu", "none", "--ram", "100MB").out
    assert "No pair of the catalog fits here." in told
    pairs = json.loads(invoke(capsys, "recommend", "--json", *CARD).out)["pairs"]
    assert [pair["needs"] > pair["download"] for pair in pairs] == [True] * 3
