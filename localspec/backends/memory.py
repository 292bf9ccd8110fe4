"""What this process holds."""

import psutil


def resident_bytes() -> int:
    """Main memory in use, the models' among it; what lies on a GPU is not counted."""
    return int(psutil.Process().memory_info().rss)
