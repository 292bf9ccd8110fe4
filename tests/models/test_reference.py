"""What a user types for a model."""

import pytest

from localspec.errors import UsageError
from localspec.models.reference import Name, Repo, is_file_name, parse

REPO = "bartowski/Qwen2.5-14B-Instruct-GGUF"


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("qwen2.5-coder-1.5b", Name("qwen2.5-coder-1.5b")),
        ("llama3-70b:Q5_K_M", Name("llama3-70b", "Q5_K_M")),
        ("llama3.3:70b", Name("llama3.3:70b")),
        ("llama3.3:70b:q8_0", Name("llama3.3:70b", "q8_0")),
        (REPO, Repo(REPO)),
        (f"  {REPO}:Q5_K_M ", Repo(REPO, "Q5_K_M")),
        (f"hf.co/{REPO}:UD-Q4_K_XL", Repo(REPO, "UD-Q4_K_XL")),
        (f"HF.co/{REPO}:latest", Repo(REPO)),
        (f"{REPO}/x/y-Q8_0.gguf", Repo(REPO, file="x/y-Q8_0.gguf")),
        (f"https://huggingface.co/{REPO}", Repo(REPO)),
        (f"https://huggingface.co/{REPO}/", Repo(REPO)),
        (f"{REPO}/", Repo(REPO)),
        (f"https://huggingface.co:443/{REPO}", Repo(REPO)),
        (f"http://huggingface.co:80/{REPO}", Repo(REPO)),
        (f"https://huggingface.co/{REPO}/tree/main", Repo(REPO)),
        (f"https://huggingface.co/{REPO}?show_file_info=a.gguf", Repo(REPO, file="a.gguf")),
        (
            f"https://huggingface.co/{REPO}/resolve/main/a%20b.gguf?download=true",
            Repo(REPO, file="a b.gguf"),
        ),
        (
            f"https://huggingface.co/{REPO}/blob/refs%2Fpr%2F1/Q4/a.gguf#L1",
            Repo(REPO, file="Q4/a.gguf", revision="refs/pr/1"),
        ),
    ],
)
def test_each_way_to_name_a_model(text: str, means: Name | Repo) -> None:
    assert parse(text) == means


def test_an_address_of_the_mirror_in_force(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="Known hosts"):
        parse(f"https://mirror.example:8080/{REPO}")
    monkeypatch.setenv("HF_ENDPOINT", "https://mirror.example:8080/hub")
    assert parse(f"mirror.example:8080/{REPO}:q8_0") == Repo(REPO, "q8_0")
    assert parse(f"https://mirror.example:8080/hub/{REPO}") == Repo(REPO)


@pytest.mark.parametrize("endpoint", ["http://me:secret@mirror.example", "http://[::1", "x:y"])
def test_a_mirror_is_told_without_its_password(
    endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refused address listed the known hosts, the mirror's password among them."""
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    with pytest.raises(UsageError, match="Known hosts") as caught:
        parse("https://elsewhere.example/a/b")
    assert "secret" not in str(caught.value)
    with pytest.raises(UsageError, match="user or a password") as caught:
        parse("https://me:hidden@huggingface.co/a/b")
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "a/b/c",
        "a/b:",
        "a/b:Q4 K",
        "a/..",
        "-a/b",
        "a/b--c",
        "a//b",
        "a/b/../../c.gguf",
        "a/b/c\\d.gguf",
        "a/b/C:x.gguf",
        "a/" + "b" * 200,
        "a/b\x1b[2J",
        "a/b\nc",
        "a/b/%2e%2e/x.gguf",
        "a/b/x%00.gguf",
        "é/b",
        "/etc/passwd.gguf",
        "./model.gguf",
        "~/model.gguf",
        "ftp://huggingface.co/a/b",
        "https://huggingface.co",
        "https://huggingface.co/a",
        "https://huggingface.co/datasets/a/b",
        "https://huggingface.co/spaces/a/b",
        "https://huggingface.co/a/b/tree/main/Q4_K_M",
        "https://huggingface.co/a/b/resolve/../x.gguf",
        "https://huggingface.co/a/b/blob/main/README.md",
        "https://huggingface.co.evil.example/a/b",
        "https://user:secret@huggingface.co/a/b",
        "https://[",
        "x" * 3000,
        "name:",
    ],
)
def test_what_can_be_no_model_is_one_sentence(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(text)
    told = str(caught.value)
    assert told.isprintable()
    assert len(told) < 400


@pytest.mark.parametrize("name", ["../x.gguf", "/x.gguf", "a/./b.gguf", "nul\0.gguf", "x", ""])
def test_a_server_names_no_file_outside(name: str) -> None:
    assert not is_file_name(name)
