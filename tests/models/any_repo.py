"""A repository that no catalog knows, and two beside it, on the stub hub."""

import pytest

from tests.models.scene import Scene
from tests.tiny_gguf import write_model

ANY, OTHER = "someone/Any-7B-GGUF", "someone/Odd-GGUF"
FILE = "Any-7B-Q4_K_M.gguf"
PATH = f"/{ANY}/resolve/*/{FILE}"


@pytest.fixture
def hub(scene: Scene) -> Scene:
    """A repository that no catalog knows, and one with another tokenizer."""
    files = {FILE: scene.target, "Any-7B-Q8_0.gguf": scene.target + b"", "README.md": b"x"}
    scene.stub.add_repo(ANY, files, license="mit")
    odd = write_model(scene.home / "odd.gguf", n_vocab=900).read_bytes()
    scene.stub.add_repo(OTHER, {"odd-Q4_K_M.gguf": odd})
    scene.stub.add_repo("someone/small", {"small-q8_0.gguf": scene.draft})
    return scene


def fetched_whole(scene: Scene) -> list[str]:
    """Paths of which more than a header was fetched."""
    ranged = [(path, asked) for method, path, asked in scene.stub.log if method == "GET"]
    files = [(path, asked) for path, asked in ranged if "/resolve/" in path]
    return [path for path, asked in files if not asked or asked.endswith("-")]
