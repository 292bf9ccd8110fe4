"""A hub and a package index on this machine, honest or faulty, for pulls without a network."""

import hashlib
import io
import threading
import time
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "c" * 40


@dataclass
class HubStub:
    """`faults[path]` is used up one by one, each by a GET: cut:N, wrong, long, stall, status:N."""

    files: dict[str, bytes] = field(default_factory=dict)
    faults: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    head_status: dict[str, int] = field(default_factory=dict)
    """A status other than 200 for a path's HEAD."""
    headers: dict[str, str] = field(default_factory=dict)
    """Sent with every answer that isn't 200."""
    redirect_host: str = ""
    """The bytes come from this name of the same server, as from a CDN."""
    ignores_ranges: bool = False
    lies: dict[str, str] = field(default_factory=dict)
    """Headers that replace the true facts of a file."""
    log: list[tuple[str, str, str]] = field(default_factory=list)
    """Method, path, Range of each request."""
    tokens: list[tuple[str, str]] = field(default_factory=list)
    """Raw path and Authorization of each request."""
    url: str = ""
    port: int = 0

    def add_hub_file(self, repo: str, file: str, content: bytes) -> None:
        self.files[f"/{repo}/resolve/*/{file}"] = content

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
        """The ranges of the GETs for a path, in order."""
        return [
            asked for method, path, asked in self.log if method == "GET" and path.endswith(path_end)
        ]


@contextmanager
def serving() -> Iterator[HubStub]:
    stub = HubStub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(stub))
    server.daemon_threads = True
    stub.port = server.server_address[1]
    stub.url = f"http://127.0.0.1:{stub.port}"
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()


def _handler(stub: HubStub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: object) -> None:
            pass

        def do_HEAD(self) -> None:
            self._answer(stub.head_status.get(self._known_path(), 200), body=False)

        def do_GET(self) -> None:
            self._answer(200, body=True)

        def _known_path(self) -> str:
            """The revision in a hub path stands for any."""
            parts = self.path.removeprefix("/cdn").split("/")
            if len(parts) > 4 and parts[3] == "resolve":
                parts[4] = "*"
            return "/".join(parts)

        def _answer(self, status: int, body: bool) -> None:
            path = self._known_path()
            stub.log.append((self.command, path, self.headers.get("Range", "")))
            stub.tokens.append((self.path, self.headers.get("Authorization", "")))
            content = stub.files.get(path)
            if status == 200 and content is None:
                status = 404
            fault = stub.faults[path].pop(0) if body and stub.faults[path] else ""
            if fault.startswith("status:"):
                status = int(fault.removeprefix("status:"))
            if status != 200 or content is None:
                self._end(status, stub.headers)
                return
            if stub.redirect_host and not self.path.startswith("/cdn"):
                where = f"http://{stub.redirect_host}:{stub.port}/cdn{self.path}"
                self._end(302, self._facts(content) | {"Location": where})
                return
            if body:
                self._send(content, fault)
            else:
                self._end(200, self._facts(content), len(content))

        def _facts(self, content: bytes) -> dict[str, str]:
            digest = hashlib.sha256(content).hexdigest()
            linked = {"X-Linked-Etag": f'"{digest}"', "X-Linked-Size": str(len(content))}
            return linked | {"X-Repo-Commit": COMMIT, "ETag": f'"{digest}"'} | stub.lies

        def _end(self, status: int, headers: dict[str, str], length: int = 0) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(length))
            self.end_headers()

        def _send(self, content: bytes, fault: str) -> None:
            asked = self.headers.get("Range", "")
            start = int(asked[6:-1]) if asked and not stub.ignores_ranges else 0
            rest = content[start:]
            if fault == "wrong":
                rest = rest[:-1] + bytes([rest[-1] ^ 1])
            length = len(rest)
            if fault == "long":
                rest += b"more"
                length += 4
            html = self.path.startswith("/simple/")
            self.send_response(206 if start else 200)
            self.send_header("Content-Type", "text/html" if html else "application/octet-stream")
            self.send_header("Content-Length", str(length))
            if start:
                self.send_header(
                    "Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}"
                )
            self.end_headers()
            if fault.startswith(("cut:", "stall:")):
                self.wfile.write(rest[: int(fault.partition(":")[2])])
                self.wfile.flush()
                if fault.startswith("stall:"):
                    time.sleep(3)
                self.close_connection = True
            else:
                self.wfile.write(rest)

        def handle(self) -> None:
            try:
                super().handle()
            except OSError:
                # The puller left.
                pass

    return Handler
