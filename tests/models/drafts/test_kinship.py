"""Families of tokenizers by names and the catalog."""

import pytest

from localspec.models import catalog
from localspec.models.drafts.kinship import entry_of, heads, lines_of, relatives
from tests.models.drafts.conftest import Install, entry


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("qwen2.5-coder-1.5b-instruct-q4_k_m.gguf", "qwen2.5"),
        ("Meta-Llama-3-8B-Instruct-Q4_K_M.gguf", "llama3"),
        ("Llama-3.3-70B-Instruct", "llama3.3"),
        ("nvidia_Llama-3_3-Nemotron-Super-49B", "llama3.3"),
        ("google_gemma-3-27b-it-Q4_K_M.gguf", "gemma3"),
        ("SmolLM2-135M-Instruct", "smollm2"),
        ("OLMo-2-0325-32B", "olmo2"),
        ("gpt-oss-20b-mxfp4.gguf", None),
        ("deepseek-coder-33b-instruct.Q4_K_M.gguf", None),
    ],
)
def test_a_name_tells_its_line_and_never_a_size(text: str, line: str | None) -> None:
    assert lines_of(text) == (frozenset({line}) if line else frozenset())


def test_a_pair_of_two_lines_makes_them_one_family() -> None:
    """Llama 3.1, 3.2 and 3.3 share a tokenizer, 3.0 and Hermes have their own."""
    pair = catalog.find("llama3-70b")
    assert pair is not None
    found = {each.name for each in relatives(frozenset(), 128256, pair)}
    assert {"llama3-70b", "llama3.1-8b", "llama3.2-3b"} <= found
    assert not found & {"llama3-70b-8k", "hermes-4-70b", "smollm3-3b", "nemotron-super-49b"}


def test_equal_sizes_make_no_family() -> None:
    """Qwen2.5 and Qwen3 have vocabularies of one size whose last tokens differ."""
    pair = catalog.find("qwen3-32b")
    assert all("qwen2" not in each.name for each in relatives(frozenset(), 151936, pair))


def test_an_entry_without_a_reason_is_no_relative(own_catalog: Install) -> None:
    own_catalog([entry("a", "Line1-40B", "Line1-1B", compat_basis="unverified")])
    assert relatives(frozenset({"line1"}), 260, None) == []
    assert [each.name for each in relatives(frozenset(), 260, catalog.find("a"))] == ["a"]


def test_a_file_is_found_by_name_and_size(own_catalog: Install) -> None:
    own_catalog([entry("a", "Line1-40B", "Line1-1B")])
    assert entry_of("Line1-40B.gguf", 40 * 10**9) == catalog.find("a")
    assert entry_of("Line1-40B.gguf", 41 * 10**9) is None


def test_heads_are_named() -> None:
    pair = catalog.find("qwen3-8b")
    assert pair is not None
    assert {kind for _, kind in heads(pair)} == {"eagle3", "dflash", "dspark"}
