"""The light commands stay light: in a clean interpreter they import no screen and no llama.cpp."""

import subprocess
import sys

import pytest

PROBE = """
import sys
from localspec.cli.main import main
sys.argv = ["localspec", *{args!r}]
try:
    main()
except SystemExit:
    pass
heavy = {{"textual", "llama_cpp"}} & {{name.partition(".")[0] for name in sys.modules}}
print("imported:", sorted(heavy))
"""


@pytest.mark.parametrize(
    "args",
    [
        ["--help"],
        ["run", "--help"],
        ["list"],
        ["list", "--all"],
        ["pull", "no-such-model"],
        ["pull", "smollm2-135m", "--source", "hub", "--quiet"],
        ["show", "llama3-70b"],
        ["locate"],
        ["doctor"],
    ],
)
def test_a_light_command_imports_neither(args: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(args=args)],
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )
    assert done.stdout.splitlines()[-1] == "imported: []", done.stderr


def test_the_package_itself_imports_nothing_heavy() -> None:
    code = "import sys, localspec; print(sorted(set(sys.modules) & {'numpy', 'pydantic', 'rich'}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "[]\n"
