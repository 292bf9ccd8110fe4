"""The tiny pair on a stub hub, for these tests."""

from tests.models.scene import scene, tiny_bytes

__all__ = ["scene", "tiny_bytes"]
