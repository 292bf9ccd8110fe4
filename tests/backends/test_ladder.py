"""The way down when memory runs out: pure, bounded, what the user chose last."""

from dataclasses import replace

import pytest

from localspec.backends.attempt import Attempt
from localspec.backends.ladder import MIN_CTX, Part, given_up, next_rung
from localspec.llama.offload import Offload

GPU, CPU = Offload(("CUDA0",), -1), Offload()
N_LAYER = 32
ALL = Attempt(8192, GPU, GPU)


def descend(attempt: Attempt, failed: Part, *chosen: str) -> list[str]:
    """What is given up, rung by rung, while the same part fails."""
    words: list[str] = []
    fitted = attempt.n_ctx if failed.model == "draft" else 0
    while rung := next_rung(attempt, failed, N_LAYER, fitted, set(chosen)):
        attempt = rung.attempt
        words.append(rung.words)
        assert len(words) < 20
        if failed.model == "draft" and attempt.draft is None:
            break
    return words


def test_a_draft_that_fails_costs_context_then_its_place_then_itself() -> None:
    for kind in ("weights", "context"):
        assert descend(ALL, Part("draft", kind)) == [
            "a context of 4096 tokens",
            "a context of 2048 tokens",
            "the draft on the CPU",
            "a context of 4096 tokens",
            "a context of 2048 tokens",
            "no draft model",
        ]


def test_a_target_that_fails_costs_context_then_layers() -> None:
    assert descend(ALL, Part("target", "context")) == [
        "a context of 4096 tokens",
        "a context of 2048 tokens",
        "24 of 33 layers on CUDA0",
        "16 of 33 layers on CUDA0",
        "8 of 33 layers on CUDA0",
        "the target on the CPU",
    ]


def test_weights_alone_in_memory_do_not_shrink_with_the_context() -> None:
    """Ten loads of 40 GB were tried with ever smaller contexts."""
    assert descend(ALL, Part("target", "weights")) == [
        "24 of 33 layers on CUDA0",
        "16 of 33 layers on CUDA0",
        "8 of 33 layers on CUDA0",
        "the target on the CPU",
    ]
    assert descend(Attempt(8192, CPU, CPU), Part("target", "weights")) == []


def test_a_draft_on_the_cpu_has_no_place_to_go_to() -> None:
    assert descend(Attempt(2048, CPU, CPU), Part("draft", "weights")) == ["no draft model"]


@pytest.mark.parametrize(
    ("chosen", "first"),
    [
        ((), "a context of 4096 tokens"),
        (("ctx",), "the draft on the CPU"),
        (("ctx", "draft_device"), "no draft model"),
        (("device", "rpc"), "a context of 4096 tokens"),
    ],
)
def test_what_was_chosen_is_given_up_last(chosen: tuple[str, ...], first: str) -> None:
    assert descend(ALL, Part("draft", "context"), *chosen)[0] == first


def test_a_chosen_context_shrinks_only_where_nothing_else_helps() -> None:
    words = descend(Attempt(4096, GPU, None), Part("target", "context"), "ctx")
    assert words[-2:] == ["the target on the CPU", "a context of 2048 tokens"]


def test_some_layers_become_fewer() -> None:
    few = Attempt(512, Offload(("CUDA0", "RPC0"), 10), None)
    assert descend(few, Part("target", "context")) == [
        "8 of 33 layers on CUDA0+RPC0",
        "the target on the CPU",
    ]


def test_an_odd_context_stays_one_that_llama_cpp_makes() -> None:
    rung = next_rung(Attempt(7000, CPU, CPU), Part("target", "context"), N_LAYER, 0, set())
    assert rung is not None
    assert rung.attempt.n_ctx == 3328
    assert rung.attempt.n_ctx > MIN_CTX


def test_a_context_that_made_no_room_for_the_draft_is_given_back() -> None:
    """A target that had room for 8192 tokens was left with 2048 and its draft on the CPU."""
    small = replace(ALL, n_ctx=2048)
    moved = next_rung(small, Part("draft", "weights"), N_LAYER, 8192, set())
    assert moved is not None
    assert moved.attempt == Attempt(8192, GPU, CPU)
    # One that the target itself needed is not.
    moved = next_rung(small, Part("draft", "weights"), N_LAYER, 2048, set())
    assert moved is not None
    assert moved.attempt == Attempt(2048, GPU, CPU)


def test_what_was_given_up_is_the_difference() -> None:
    assert given_up(ALL, ALL, N_LAYER) == []
    assert given_up(ALL, Attempt(4096, Offload(("CUDA0",), 16), CPU), N_LAYER) == [
        "a context of 4096 tokens",
        "the draft on the CPU",
        "16 of 33 layers on CUDA0",
    ]
    assert given_up(ALL, Attempt(8192, CPU, None), N_LAYER) == [
        "no draft model",
        "the target on the CPU",
    ]
    assert given_up(Attempt(8192, CPU, CPU), Attempt(8192, CPU, CPU), N_LAYER) == []
