"""A hub and a package index on this machine, honest or faulty, for pulls without a network."""

import hashlib
import io
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import ThreadingHTTPServer
from typing import Any

from tests.models.hub_answers import COMMIT, Content, Served, handler, is_span

__all__ = ["COMMIT", "Content", "HubStub", "serving"]


@dataclass
class HubStub(Served):
    """What it serves, and how it misbehaves, stands in `Served`; this fills it."""

    url: str = ""

    def add_hub_file(self, repo: str, file: str, content: Content) -> None:
        """Served at any revision, and listed if the repository is."""
        self.files[f"/{repo}/resolve/*/{file}"] = content

    def add_repo(
        self, repo: str, files: Mapping[str, Content], *, license: str = "apache-2.0", **facts: Any
    ) -> None:
        """A listed repository with these files alone; `facts` replace or extend what the hub tells
        of it."""
        for path in [path for path in self.files if path.startswith(f"/{repo}/resolve/")]:
            del self.files[path]
        for file, content in files.items():
            self.add_hub_file(repo, file, content)
        self.repos[repo] = {"cardData": {"license": license}, "gated": False} | facts

    def add_wheel(self, project: str, wheel: str, member: str, content: bytes) -> bytes:
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr(member, content)
        data = archive.getvalue()
        digest = hashlib.sha256(data).hexdigest()
        self.files[f"/files/{wheel}"] = data
        link = f'<a href="/files/{wheel}#sha256={digest}">{wheel}</a>'
        self.files[f"/simple/{project}/"] = f"<html><body>{link}</body></html>".encode()
        return data

    def fetched(self, path_end: str) -> list[str]:
        """The ranges of the GETs for a file or its rest, in order; not those of its header."""
        return [asked for asked in self._asked(path_end) if not is_span(asked)]

    def spans(self, path_end: str) -> list[str]:
        """The ranges with an end, as headers are asked for, in order."""
        return [asked for asked in self._asked(path_end) if is_span(asked)]

    def _asked(self, path_end: str) -> list[str]:
        return [
            asked for method, path, asked in self.log if method == "GET" and path.endswith(path_end)
        ]

    def sent_to(self, path_end: str) -> int:
        """Bytes of bodies sent for a path, in all."""
        return sum(sent for path, sent in self.sent.items() if path.endswith(path_end))


@contextmanager
def serving() -> Iterator[HubStub]:
    stub = HubStub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(stub))
    server.daemon_threads = True
    stub.port = server.server_address[1]
    stub.url = f"http://127.0.0.1:{stub.port}"
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
