"""The tiny pair on a stub hub, for these tests."""

from tests.models.any_repo import hub
from tests.models.scene import scene, tiny_bytes

__all__ = ["hub", "scene", "tiny_bytes"]
