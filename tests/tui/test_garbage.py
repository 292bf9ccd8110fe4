"""What stays on the screen isn't looked at again and again, and what was taken away is found."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import gc
from localspec.tui import garbage
before = gc.get_freeze_count()
garbage.settle(), garbage.resume()
assert gc.isenabled() and gc.get_freeze_count() == before
garbage.pause()
assert not gc.isenabled()
garbage.resume()
assert gc.isenabled() and gc.get_freeze_count() > 0
class Node: pass
node = Node(); node.self = node
garbage.settle()
del node
assert gc.collect() == 0
garbage.unsettle()
assert gc.collect() > 0
"""


def test_settled_objects_wait_for_the_next_change() -> None:
    """A full look at the widgets of a long reply held up keys for 0.4 seconds."""
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
