"""B20: which file of a repository is meant, by its name; nothing is guessed."""

import tracemalloc

import pytest

from localspec.errors import DownloadFailed, UsageError
from localspec.models.offers import ListedFile, Offer, matching, offers, quant_of
from localspec.models.reference import Repo

REPO = "maker/X-GGUF"


def found(*names: str) -> list[Offer]:
    return offers(ListedFile(name, 1000 + number, None) for number, name in enumerate(names))


def meant(names: list[str], quant: str | None = None, file: str | None = None) -> list[str]:
    return [each.file for each in matching(found(*names), Repo(REPO, quant, file))]


@pytest.mark.parametrize(
    ("file", "quant"),
    [
        ("Qwen2.5-14B-Instruct-Q5_K_M.gguf", "Q5_K_M"),
        ("qwen2.5-coder-1.5b-instruct-q4_k_m.gguf", "q4_k_m"),
        ("SmolLM2-135M-Instruct.Q4_1.gguf", "Q4_1"),
        ("X-UD-Q4_K_XL.gguf", "UD-Q4_K_XL"),
        ("X-I-Q4_K_M.gguf", "I-Q4_K_M"),
        ("X.i1-IQ3_XXS.gguf", "i1-IQ3_XXS"),
        ("Q2-7B-BF16.gguf", "BF16"),
        ("gpt-oss-20b-MXFP4.gguf", "MXFP4"),
        ("X-TQ1_0.GGUF", "TQ1_0"),
        ("Q8_0/model-00001-of-00002.gguf", "Q8_0"),
        ("UD-Q2_K_XL/X-UD-Q2_K_XL-00001-of-00003.gguf", "UD-Q2_K_XL"),
        ("X-Q4_0_8_8.gguf", "Q4_0_8_8"),
        ("model.gguf", ""),
        ("faq4us.gguf", ""),
    ],
)
def test_the_quant_part_of_a_name(file: str, quant: str) -> None:
    assert quant_of(file) == quant


def test_a_match_is_exact_in_any_case() -> None:
    """B20: `Q4_K_M` started `I-Q4_K_M`, another quantisation."""
    names = ["X-I-Q4_K_M.gguf", "X-Q4_K_M.gguf", "X-Q4_K_S.gguf"]
    assert meant(names, "q4_k_m") == ["X-Q4_K_M.gguf"]
    assert meant(names, "i-q4_k_m") == ["X-I-Q4_K_M.gguf"]


@pytest.mark.parametrize("quant", ["Q4_K_XL", "Q4_K", "Q4", "K_XL", "UD"])
def test_no_match_lists_the_choices_with_sizes(quant: str) -> None:
    """B20: a quantisation that exists only as `UD-Q4_K_XL`, or that none has."""
    with pytest.raises(UsageError) as caught:
        meant(["X-UD-Q4_K_XL.gguf", "X-Q8_0.gguf"], quant)
    assert f"has no {quant}." in str(caught.value)
    assert "UD-Q4_K_XL (1.0 kB), Q8_0 (1.0 kB)" in str(caught.value)


def test_two_models_of_one_quant_are_told_apart_by_file() -> None:
    names = ["big-Q4_K_M.gguf", "small-Q4_K_M.gguf", "X-Q8_0.gguf"]
    assert len(meant(names, "Q4_K_M")) == 2
    with pytest.raises(UsageError, match=r"from: big-Q4_K_M.gguf .*, small-Q4_K_M.gguf .*, Q8_0"):
        meant(names, "Q6_K")
    assert meant(names, file="SMALL-Q4_K_M.gguf") == ["small-Q4_K_M.gguf"]


def test_without_a_quant_the_usual_one_or_the_only_model() -> None:
    assert meant(["X-Q8_0.gguf", "X-Q4_K_M.gguf"]) == ["X-Q4_K_M.gguf"]
    assert meant(["X-Q8_0.gguf", "mmproj-F16.gguf"]) == ["X-Q8_0.gguf"]
    with pytest.raises(UsageError, match="several models and no Q4_K_M"):
        meant(["X-Q8_0.gguf", "X-Q6_K.gguf"])
    with pytest.raises(UsageError, match="no GGUF file"):
        meant([])


def test_a_split_set_is_one_model() -> None:
    parts = [f"Q4_K_M/X-Q4_K_M-{number:05}-of-00003.gguf" for number in (3, 1, 2)]
    [offer] = found(*parts)
    assert [part.file for part in offer.parts] == sorted(parts)
    assert offer.bytes == 3003
    assert meant(parts, file=parts[0]) == [sorted(parts)[0]]


def test_a_set_that_lacks_a_part_is_named_and_refused() -> None:
    parts = ["X-Q4_K_M-00001-of-00003.gguf", "X-Q4_K_M-00003-of-00003.gguf"]
    with pytest.raises(DownloadFailed, match=r"2 of the 3 parts of X-Q4_K_M: .*00002-of-00003"):
        meant(parts, "Q4_K_M")
    with pytest.raises(DownloadFailed, match="2 of the 3 parts"):
        meant(parts, file=parts[1])
    assert meant([*parts, "Q/X-Q4_K_M.gguf"], "Q4_K_M") == ["Q/X-Q4_K_M.gguf"]


def test_a_set_of_absurd_length_costs_nothing() -> None:
    with pytest.raises(DownloadFailed, match="1 of the 99999 parts"):
        meant(["X-Q4_K_M-00001-of-99999.gguf"])


def test_a_name_that_tells_of_many_parts_costs_no_time() -> None:
    """For each of 1,500 parts of 99,999 all the names were written out: a minute, and gigabytes
    where the sets differed."""
    parts = [f"x-Q4_K_M-{number:05}-of-99999.gguf" for number in range(1, 300)]
    sets = [f"y{number}-Q8_0-00001-of-99999.gguf" for number in range(300)]
    tracemalloc.start()
    try:
        offered = found(*parts, *sets)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
    assert len(offered) == 301
    with pytest.raises(DownloadFailed, match=r"299 of the 99999 parts of .*-00300-of-99999"):
        matching(offered, Repo(REPO, "Q4_K_M"))


def test_a_long_list_is_cut_short() -> None:
    """2,000 choices filled the screen."""
    with pytest.raises(UsageError, match="and 1960 more") as caught:
        meant([f"x{number}-Q8_0.gguf" for number in range(2000)], "Q4_0")
    assert len(str(caught.value)) < 2000
