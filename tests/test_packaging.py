"""What a wheel, an sdist and an editable install bring along: themes, catalog, prompts, traces."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent

pytest.importorskip("hatchling")


DATA = ("*.json", "*.jsonl", "*.gz")


def data_files() -> set[str]:
    """What code in the checkout may read, as a wheel names it."""
    package = PROJECT / "localspec"
    found = {path for pattern in DATA for path in package.rglob(pattern)}
    return {path.relative_to(PROJECT).as_posix() for path in found}


def built(kind: str, folder: Path) -> Path:
    """Build with the project's own backend, as pip would."""
    code = f"import hatchling.build as b; print(b.build_{kind}({str(folder)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    return folder / done.stdout.splitlines()[-1]


def build(kind: str, folder: Path) -> zipfile.ZipFile:
    return zipfile.ZipFile(built(kind, folder))


def themes_seen_from(*path: Path) -> set[str]:
    """Names of the theme files that a program with these places first on its path finds."""
    code = (
        f"import sys; sys.path[:0] = {[str(p) for p in path]!r}\n"
        "from localspec import paths\n"
        "print(*(f.name for f in paths.shipped_themes_dir().iterdir()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd="/", capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_a_wheel_carries_themes_and_data(tmp_path: Path) -> None:
    own = {theme.name for theme in (PROJECT / "themes").iterdir()}
    with build("wheel", tmp_path) as wheel:
        names = set(wheel.namelist())
        wheel.extractall(tmp_path / "site")
    assert len(own) >= 3
    assert {f"localspec/themes/{name}" for name in own} <= names
    assert {"localspec/bench/costs.json", "localspec/engine/prior.json"} <= data_files() <= names
    assert "localspec/bench/prompts/spec_bench.jsonl" in names
    assert "localspec/py.typed" in names
    assert any(n.startswith("localspec/models/catalog/") and n.endswith(".json") for n in names)
    assert not any("__pycache__" in name or name.startswith("tests/") for name in names)
    assert themes_seen_from(tmp_path / "site") == own


def test_an_sdist_carries_the_data_too(tmp_path: Path) -> None:
    with tarfile.open(built("sdist", tmp_path)) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert data_files() <= names


def test_an_editable_install_finds_the_themes(tmp_path: Path) -> None:
    own = {theme.name for theme in (PROJECT / "themes").iterdir()}
    with build("editable", tmp_path) as wheel:
        wheel.extractall(tmp_path / "site")
    (pth,) = (tmp_path / "site").glob("*.pth")
    roots = [Path(line) for line in pth.read_text().splitlines() if line]
    assert PROJECT in roots
    assert themes_seen_from(tmp_path / "site", *roots) == own
