"""`python tests/cold_start.py`: CPU seconds of `localspec --help`, of several runs."""

import os
import statistics
import subprocess
import sys

RUNS = 7


def cpu_seconds() -> float:
    before = os.times()
    subprocess.run([sys.executable, "-m", "localspec", "--help"], capture_output=True, check=True)
    after = os.times()
    return (after.children_user + after.children_system) - (
        before.children_user + before.children_system
    )


if __name__ == "__main__":
    seconds = [cpu_seconds() for _ in range(RUNS)]
    spread = f"{min(seconds):.2f} to {max(seconds):.2f}"
    print(f"localspec --help: median {statistics.median(seconds):.2f} s of CPU ({spread})")
