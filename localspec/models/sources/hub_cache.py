"""The hub's cache on this disk, in its own layout, so that other programs find what we fetch.

The library itself can't resume: since 2.0 it deletes a partial file when a download breaks off.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from localspec.models.selection import Wanted
from localspec.whole_file import write_whole

SHA256 = re.compile(r"[0-9a-f]{64}")
SAFE_NAME = re.compile(r"\w[\w.-]{0,127}", re.ASCII)
"""Commits and hashes of a server that may become names in the cache."""


class HubCache:
    def __init__(self, root: Path, links: bool) -> None:
        self.root = root
        self._links = links

    def find(self, wanted: Wanted) -> tuple[Path, str | None] | None:
        """A file that may be the wanted one, and the hash it must have if its name tells."""
        for path in self._candidates(wanted):
            size = path.stat().st_size
            named = hash_in_name(path)
            if wanted.bytes not in (None, size):
                continue
            if wanted.sha256 and named not in (None, wanted.sha256):
                continue
            return path, wanted.sha256 or named
        return None

    def held(self, repo: str, revision: str | None) -> tuple[str, list[tuple[str, Path]]]:
        """The commit that was fetched last, or `revision`, and its files here by their names."""
        snapshots = self._folder(repo) / "snapshots"
        commit = revision or self._main(repo) or next(iter(_newest(snapshots)), "")
        found = sorted((snapshots / commit).rglob("*.gguf")) if commit else []
        named = [(path.relative_to(snapshots / commit).as_posix(), path) for path in found]
        return commit, [(name, path) for name, path in named if path.is_file()]

    def snapshot(self, wanted: Wanted, commit: str) -> Path:
        return self._folder(wanted.repo) / "snapshots" / commit / wanted.file

    def blob(self, wanted: Wanted, etag: str) -> Path:
        return self._folder(wanted.repo) / "blobs" / etag

    def partial(self, wanted: Wanted, etag: str) -> Path:
        return self.blob(wanted, etag).with_name(f"{etag}.incomplete")

    def lock(self, wanted: Wanted, etag: str) -> Path:
        """The library's own lock, so that no other program fetches the file meanwhile."""
        return self.root / ".locks" / self._folder(wanted.repo).name / f"{etag}.lock"

    def place(self, wanted: Wanted, partial: Path, etag: str, commit: str) -> Path:
        """Give a checked file its name, and the snapshot a link to it."""
        blob, link = self.blob(wanted, etag), self.snapshot(wanted, commit)
        link.parent.mkdir(parents=True, exist_ok=True)
        partial.replace(blob)
        link.unlink(missing_ok=True)
        try:
            if not self._links:
                raise OSError
            link.symlink_to(os.path.relpath(blob, link.parent))
        except OSError:
            # Without the right to link (Windows) the one copy lies under the file's own name.
            blob.replace(link)
        if wanted.revision is None:
            self._set_main(wanted, commit)
        return link

    def _candidates(self, wanted: Wanted) -> Iterator[Path]:
        snapshots = self._folder(wanted.repo) / "snapshots"
        commits = [wanted.revision or self._main(wanted.repo)]
        if snapshots.is_dir():
            commits += sorted(each.name for each in snapshots.iterdir())
        for commit in commits:
            path = snapshots / commit / wanted.file if commit else None
            if path is not None and path.is_file():
                yield path

    def _folder(self, repo: str) -> Path:
        return self.root / ("models--" + repo.replace("/", "--"))

    def _main(self, repo: str) -> str:
        try:
            commit = (self._folder(repo) / "refs" / "main").read_text().strip()
        except (OSError, ValueError):
            return ""
        return commit if SAFE_NAME.fullmatch(commit) else ""

    def _set_main(self, wanted: Wanted, commit: str) -> None:
        write_whole(self._folder(wanted.repo) / "refs" / "main", commit.encode())


def place_of(path: Path) -> tuple[str, str] | None:
    """The commit, and the path in its repository, of a file that lies in a hub's cache."""
    parts = path.parts
    for number in range(len(parts) - 3, 0, -1):
        if parts[number] == "snapshots" and parts[number - 1].startswith("models--"):
            return parts[number + 1], "/".join(parts[number + 2 :])
    return None


def _newest(snapshots: Path) -> list[str]:
    folders = [each for each in snapshots.glob("*") if each.is_dir()]
    return [each.name for each in sorted(folders, key=lambda each: -each.stat().st_mtime)]


def hash_in_name(path: Path) -> str | None:
    """The hash that a link in the cache tells of its file."""
    name = path.readlink().name if path.is_symlink() else ""
    return name if SHA256.fullmatch(name) else None
