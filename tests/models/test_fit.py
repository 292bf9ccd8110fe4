"""Tables of what fits, and which quantisation a pull takes."""

from dataclasses import replace

import pytest

from localspec.errors import UsageError
from localspec.models import catalog, store
from localspec.models.candidates import Candidate, candidates_of
from localspec.models.catalog_memory import estimate, memory_of_target
from localspec.models.fit import best_quant, contexts, fit_table
from localspec.models.placement import CPU, MemoryOf
from localspec.models.quants import USUAL, bits, quality
from localspec.models.selection import choices
from localspec.models.what_if import other_machine, parse_size
from tests.models.scene import Scene, notices
from tests.models.tiny_catalog import REPO, TARGET, file_entry

GB = 10**9
RAM = MemoryOf(CPU, "cpu", 60 * GB, 64 * GB)


def a_gpu(gigabytes: float) -> MemoryOf:
    return MemoryOf("CUDA0", "gpu", int(gigabytes * GB), int(gigabytes * GB))


def test_contexts_double_up_to_what_the_model_was_trained_for() -> None:
    assert contexts(32_768) == (4096, 8192, 16_384, 32_768)
    assert contexts(40_960) == (4096, 8192, 16_384, 32_768, 40_960)
    assert contexts(2048) == (2048,)
    assert contexts(None)[-1] == 32_768


def test_a_table_of_a_model_that_was_never_pulled() -> None:
    found = candidates_of("llama3-70b")
    assert found is not None
    assert [each.quant for each in found.targets] == list(USUAL)
    assert not found.chosen.memory.exact
    rows = fit_table(found, [a_gpu(24), RAM], (4096, 131_072), "f16")
    layers = [row.placements[0].target_layers for row in rows]
    assert layers == sorted(layers)
    assert not rows[0].placements[1].fits


def test_every_size_that_the_catalog_knows_gives_an_estimate() -> None:
    for pair in catalog.pairs():
        known = memory_of_target(pair, pair.target)
        if pair.target.bytes is None and pair.target.params_b is None:
            assert known is None
            continue
        assert known is not None
        shards = sum(shard.bytes or 0 for shard in pair.target.shards)
        if pair.target.bytes and all(shard.bytes for shard in pair.target.shards):
            assert known.weights == pytest.approx(pair.target.bytes + shards, rel=0.01)
        assert 0 < known.read_per_token <= known.weights + known.tied
        if pair.target.active_b and pair.target.params_b:
            share = known.read_per_token / known.weights
            assert share < 2 * pair.target.active_b / pair.target.params_b + 0.05


def test_windows_are_counted_whole_and_recurrent_layers_not_at_all() -> None:
    """A gemma's context was reckoned by its global layers; ours keeps all of them whole."""
    gemma, hybrid = catalog.find("gemma3-27b"), catalog.find("qwen3.5-9b")
    assert gemma is not None
    assert hybrid is not None
    for pair, per_token in ((gemma, 62 * 16 * 128 * 4), (hybrid, 32_768)):
        known = memory_of_target(pair, pair.target)
        assert known is not None
        width = sum(2 * (layer.k_width + layer.v_width) for layer in known.layers)
        assert width == pytest.approx(per_token, rel=0.02)


def test_an_alternative_of_another_size_is_another_model() -> None:
    """The 6.7B file that stands beside a 33B target was reckoned with the 33B's parameters."""
    pair = catalog.find("deepseek-coder-33b")
    assert pair is not None
    (other,) = [each for each in choices(pair, "target") if (each.bytes or 0) < 5 * GB]
    assert memory_of_target(pair, other) is None


def test_a_draft_of_which_little_is_known() -> None:
    pair = catalog.find("gemma4-31b")
    assert pair is not None
    assert pair.draft is not None
    assert estimate(pair.draft) is not None
    assert estimate(pair.draft.model_copy(update={"bytes": None, "params_b": None})) is None


def offers(*quants: str) -> list[Candidate]:
    found = candidates_of("qwen2.5-7b")
    assert found is not None
    own = next(each for each in found.targets if each.quant == "Q4_K_M")
    scale = {quant: (bits(quant) or 0.0) / (bits("Q4_K_M") or 1.0) for quant in quants}
    return [
        replace(own, quant=quant, memory=own.memory.scaled(scale[quant]), origin="catalog")
        for quant in quants
    ]


@pytest.mark.parametrize(
    ("gigabytes", "chosen"),
    [(24, "Q8_0"), (9, "Q6_K"), (7, "Q4_K_M"), (3, "Q4_K_M"), (0, "Q4_K_M")],
)
def test_the_best_that_goes_wholly_on_the_gpu(gigabytes: float, chosen: str) -> None:
    known = offers("Q8_0", "Q6_K", "Q4_K_M", "Q3_K_M")
    devices = [a_gpu(gigabytes), RAM] if gigabytes else [RAM]
    draft = candidates_of("qwen2.5-7b")
    assert draft is not None
    choice = best_quant(known, known[2], draft.draft, devices, 8192)
    assert choice.candidate.quant == chosen
    if gigabytes >= 9:
        assert choice.reason == "the best that goes wholly on the GPU with the draft"


def test_on_a_cpu_more_bits_are_never_chosen() -> None:
    """Higher quality is slower there; the usual one stays."""
    known = offers("Q8_0", "Q4_K_M")
    choice = best_quant(known, known[1], None, [RAM], 8192)
    assert (choice.candidate.quant, choice.reason) == ("Q4_K_M", "the usual one")


def test_where_the_usual_one_does_not_fit_a_smaller_one_does() -> None:
    known = offers("Q8_0", "Q4_K_M", "Q2_K")
    little = MemoryOf(CPU, "cpu", int(5.2 * GB), 6 * GB)
    choice = best_quant(known, known[1], None, [little], 8192)
    assert (choice.candidate.quant, "doesn't fit" in choice.reason) == ("Q2_K", True)
    nothing = MemoryOf(CPU, "cpu", GB, GB)
    assert best_quant(known, known[1], None, [nothing], 8192).candidate.quant == "Q4_K_M"


def test_of_one_class_the_pairs_own_file_wins() -> None:
    known = offers("Q4_K_M", "UD-Q4_K_XL", "Q4_0")
    assert best_quant(known, known[2], None, [a_gpu(24), RAM], 8192).candidate.quant == "Q4_0"


def test_quality_goes_by_bits() -> None:
    order = ["IQ2_M", "Q3_K_M", "UD-Q4_K_XL", "Q5_K_M", "Q6_K", "Q8_0", "BF16", "F32"]
    found = [quality(quant) for quant in order]
    assert found == sorted(set(found))
    assert (quality("MXFP4"), quality("IQ4_NL"), quality("nonsense"), quality(None)) == (4, 4, 0, 0)


@pytest.fixture
def two_quants(scene: Scene) -> Scene:
    """The tiny pair, its own file in Q4_0, and one in Q8_0."""
    facts = {"n_layer": 28, "n_head_kv": 4, "head_dim": 128, "n_vocab": 1000}
    small = file_entry(REPO, "tiny-q4_0.gguf", scene.target, quant="Q4_0")
    large = file_entry(REPO, TARGET, scene.target)
    scene.pairs[0]["target"] = small | facts
    scene.pairs[0]["alternatives"] = [large | facts | {"role": "target", "kind": "draft"}]
    scene.stub.add_hub_file(REPO, "tiny-q4_0.gguf", scene.target)
    scene.write()
    return scene


def test_a_pull_takes_the_best_that_the_gpu_holds_and_says_so(two_quants: Scene) -> None:
    told = notices(two_quants.pull(devices=lambda: (a_gpu(24), RAM)))
    assert told == ["Q8_0: the best that goes wholly on the GPU with the draft."]
    assert store.resolve("tiny").quant == "Q8_0"


@pytest.mark.parametrize(
    ("devices", "options", "quant"),
    [
        ((RAM,), {}, "Q4_0"),
        ((RAM,), {"quant": "Q8_0"}, "Q8_0"),
        ((a_gpu(24), RAM), {"quant": "Q4_0"}, "Q4_0"),
    ],
)
def test_without_a_gpu_or_with_a_word_a_pull_takes_what_it_always_did(
    two_quants: Scene, devices: tuple[MemoryOf, ...], options: dict[str, str], quant: str
) -> None:
    two_quants.pull(devices=lambda: devices, **options)
    assert store.resolve("tiny").quant == quant


@pytest.fixture
def one_quant(two_quants: Scene) -> Scene:
    """The entry lists Q4_0 alone; its repository holds more."""
    del two_quants.pairs[0]["alternatives"]
    two_quants.write()
    files = {"tiny-q4_0.gguf": two_quants.target, "tiny-Q8_0.gguf": two_quants.target}
    others = {"other-Q6_K.gguf": two_quants.draft, "tiny-F16.gguf": two_quants.target}
    two_quants.stub.add_repo(REPO, files | others)
    return two_quants


def test_on_a_gpu_the_repository_of_an_entry_is_part_of_the_choice(one_quant: Scene) -> None:
    """Most entries list one quantisation, so that nothing was ever picked."""
    told = notices(one_quant.pull(devices=lambda: (a_gpu(24), RAM)))
    assert told == ["Q8_0: the best that goes wholly on the GPU with the draft."]
    pair = store.resolve("tiny")
    assert (pair.quant, pair.target.name) == ("Q8_0", "tiny-Q8_0.gguf")
    assert pair.draft is not None
    one_quant.stub.log.clear()
    one_quant.pull(devices=lambda: (a_gpu(24), RAM))
    assert one_quant.stub.log == []


@pytest.mark.parametrize("gpus", [(), (a_gpu(24),)])
def test_where_the_repository_tells_nothing_the_entry_stands(
    one_quant: Scene, gpus: tuple[MemoryOf, ...]
) -> None:
    if gpus:
        one_quant.stub.status[f"/api/models/{REPO}"] = 503
    told = notices(one_quant.pull(devices=lambda: (*gpus, RAM)))
    assert [text.endswith("Asking once more.") for text in told] == [True] * len(gpus)
    assert store.resolve("tiny").quant == "Q4_0"
    assert gpus or not any("/api/" in path for _, path, _ in one_quant.stub.log)


def test_a_machine_that_cannot_be_asked_stops_no_pull(two_quants: Scene) -> None:
    two_quants.pull(devices=lambda: ())
    assert store.resolve("tiny").quant == "Q4_0"


def test_another_machine_in_words() -> None:
    here = (a_gpu(8), RAM)
    assert other_machine(here, None, None) == here
    two = other_machine(here, "24GB,16GiB", "128")
    assert [device.free for device in two] == [24 * GB, 16 * 2**30, 128 * GB]
    assert [device.name for device in two] == ["GPU0", "GPU1", CPU]
    assert other_machine(here, "none", None) == (RAM,)
    assert parse_size(" 1.5 TB ", "--ram") == 1500 * GB


@pytest.mark.parametrize(
    "text", ["", "GB", "-3GB", "0GB", "nan", "1e9", "9" * 30, "9" * 400, "٣", "24GB;", "24 GBs"]
)
def test_no_size_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="that is no size"):
        parse_size(text, "--gpu")
