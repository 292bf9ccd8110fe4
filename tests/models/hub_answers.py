"""How the stub hub answers: listings, files and their parts, redirects, and every fault."""

import hashlib
import json
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import unquote, urlsplit

COMMIT = "c" * 40
_PIECE = 2**16
_API = "/api/models/"


@dataclass(frozen=True)
class Sparse:
    """A file of any size of which only the head is held; behind it come zeros."""

    head: bytes
    size: int

    def part(self, start: int, stop: int) -> bytes:
        held = self.head[start:stop]
        return held + bytes(min(stop, self.size) - start - len(held))


Content = bytes | Sparse


@dataclass
class Served:
    """`faults[path]` is used up one by one, each by a GET of a file or its rest, and
    `span_faults[path]` by those of a span with an end, as headers are asked for,
    `head_faults[path]` by HEADs:

    cut:N (N bytes, then closed), stall:N (N bytes, then silence), drip:N (N bytes a tenth of a
    second), wrong (the last byte), long (4 bytes too many), short (an honest answer with half of
    what was asked), range:TEXT (that Content-Range), whole (all of it, as a part that begins at
    0), status:N, endless:N (that status with a body that never ends), circle (a redirect to
    itself), packed (said to be compressed), silent (interim answers, and never another), junk (no
    HTTP), gone (the connection closed without an answer).
    """

    files: dict[str, Content] = field(default_factory=dict)
    """By path; a hub's revision is `*`."""
    repos: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What the hub's API tells of a repository beside its commit and files."""
    faults: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    span_faults: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    head_faults: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    status: dict[str, int] = field(default_factory=dict)
    """A status other than 200 for every request of a path."""
    head_status: dict[str, int] = field(default_factory=dict)
    """The same for its HEADs alone."""
    headers: dict[str, str] = field(default_factory=dict)
    """Sent with every answer that isn't 200."""
    body: bytes = b""
    """Sent with every GET that is refused."""
    redirect_host: str = ""
    """The bytes come from this name of the same server, as from a CDN."""
    redirect_url: str = ""
    """The bytes come from this other server, as from a CDN."""
    moved: dict[str, str] = field(default_factory=dict)
    """Paths that were renamed, and what they are now called on this server."""
    ignores_ranges: bool = False
    lies: dict[str, str] = field(default_factory=dict)
    """Headers that replace the true facts of a file."""
    log: list[tuple[str, str, str]] = field(default_factory=list)
    """Method, path, Range of each request."""
    tokens: list[tuple[str, str]] = field(default_factory=list)
    """Raw path and Authorization of each request."""
    sent: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    """Bytes of bodies by path."""
    port: int = 0


def is_span(asked: str) -> bool:
    return bool(asked) and not asked.endswith("-")


def size_of(content: Content) -> int:
    return content.size if isinstance(content, Sparse) else len(content)


@cache
def sha256(content: Content) -> str:
    return hashlib.sha256(content.head if isinstance(content, Sparse) else content).hexdigest()


def listing(served: Served, repo: str) -> bytes:
    """As GET /api/models/REPO?blobs=true answers."""
    start = f"/{repo}/resolve/*/"
    files = {
        path.removeprefix(start): file
        for path, file in served.files.items()
        if path.startswith(start)
    }
    siblings = [
        {
            "rfilename": name,
            "size": size_of(file),
            "blobId": sha256(file)[:40],
            "lfs": {"sha256": sha256(file), "size": size_of(file), "pointerSize": 135},
        }
        for name, file in files.items()
    ]
    facts = {"id": repo, "modelId": repo, "sha": COMMIT, "private": False, "siblings": siblings}
    return json.dumps(facts | served.repos[repo]).encode()


def handler(stub: Served) -> type[BaseHTTPRequestHandler]:
    class Handler(_Handler):
        served = stub

    return Handler


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    served: Served

    def log_message(self, *args: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer(self.served.head_status.get(self._known_path(), 200), body=False)

    def do_GET(self) -> None:
        self._answer(200, body=True)

    def handle(self) -> None:
        try:
            super().handle()
        except OSError:
            # The puller left.
            pass

    def _known_path(self) -> str:
        """The revision in a hub path stands for any. A proxy is asked by whole addresses."""
        path = unquote(urlsplit(self.path).path).removeprefix("/cdn")
        if path.startswith(_API):
            return path.partition("/revision/")[0]
        parts = path.split("/")
        if len(parts) > 4 and parts[3] == "resolve":
            parts[4] = "*"
        return "/".join(parts)

    def _answer(self, status: int, body: bool) -> None:
        stub, path = self.served, self._known_path()
        stub.log.append((self.command, path, self.headers.get("Range", "")))
        stub.tokens.append((self.path, self.headers.get("Authorization", "")))
        if path in stub.moved:
            self._end(307, {"Location": stub.moved[path]})
            return
        content = self._content(path)
        if status == 200 and content is None:
            status = 404
        status = stub.status.get(path, status)
        of_span = is_span(self.headers.get("Range", ""))
        of_get = stub.span_faults if of_span else stub.faults
        faults = (of_get if body else stub.head_faults)[path]
        fault = faults.pop(0) if faults else ""
        if fault.startswith("status:"):
            status = int(fault.removeprefix("status:"))
        if fault.partition(":")[0] in ("endless", "circle", "silent", "junk", "gone"):
            self._misbehave(path, fault)
        elif status != 200 or content is None:
            self._end(status, stub.headers)
        elif (away := self._redirect(path)) is not None:
            self._end(302, self._facts(content) | {"Location": away})
        elif body:
            self._send(path, content, fault)
        else:
            self._end(200, self._facts(content), size_of(content))

    def _content(self, path: str) -> Content | None:
        repo = path.removeprefix(_API)
        if path.startswith(_API) and repo in self.served.repos:
            return listing(self.served, repo)
        return self.served.files.get(path)

    def _redirect(self, path: str) -> str | None:
        stub = self.served
        if path.startswith(_API) or self.path.startswith("/cdn"):
            return None
        if stub.redirect_url:
            return f"{stub.redirect_url}/cdn{self.path}"
        there = f"http://{stub.redirect_host}:{stub.port}/cdn{self.path}"
        return there if stub.redirect_host else None

    def _facts(self, content: Content) -> dict[str, str]:
        digest = sha256(content)
        linked = {"X-Linked-Etag": f'"{digest}"', "X-Linked-Size": str(size_of(content))}
        return linked | {"X-Repo-Commit": COMMIT, "ETag": f'"{digest}"'} | self.served.lies

    def _misbehave(self, path: str, fault: str) -> None:
        kind, _, number = fault.partition(":")
        self.close_connection = True
        if kind == "gone":
            return
        if kind == "junk":
            self.wfile.write(b"\x00\xff \x1b[31mred\r\n\r\n")
            return
        if kind == "silent":
            for _ in range(50):
                self.wfile.write(b"HTTP/1.1 102 Processing\r\n\r\n")
                time.sleep(0.1)
            return
        self.send_response(int(number or 302))
        self.send_header("Location", self.path)
        self.end_headers()
        # Far more than lies between two sockets, should anybody read it.
        for _ in range(64 * 2**20 // _PIECE if kind == "endless" else 0):
            self.wfile.write(bytes(_PIECE))
            self.served.sent[path] += _PIECE

    def _end(self, status: int, headers: dict[str, str], length: int = 0) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        body = self.served.body if status >= 400 and self.command == "GET" else b""
        self.send_header("Content-Length", str(length or len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _send(self, path: str, content: Content, fault: str) -> None:
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        size, ranged = size_of(content), asked is not None and not self.served.ignores_ranges
        start = int(asked[1]) if ranged and asked else 0
        stop = min(int(asked[2]) + 1, size) if ranged and asked and asked[2] else size
        if ranged and start >= size:
            self._end(416, {"Content-Range": f"bytes */{size}"})
            return
        if fault == "whole":
            start = 0
        if fault == "short":
            stop = start + (stop - start) // 2
        # Like most servers: a resumed answer is partial, a whole one is not.
        partial = ranged and (fault == "whole" or (start, stop) != (0, size))
        self.send_response(206 if partial else 200)
        html = self.path.startswith("/simple/")
        if fault == "packed":
            self.send_header("Content-Encoding", "gzip, gzip")
        self.send_header("Content-Type", "text/html" if html else "application/octet-stream")
        self.send_header("Content-Length", str(stop - start + (4 if fault == "long" else 0)))
        if partial:
            told = f"bytes {start}-{stop - 1}/{size}"
            wrong = fault.startswith("range:")
            self.send_header("Content-Range", fault.removeprefix("range:") if wrong else told)
        self.end_headers()
        self._write(path, content, (start, stop), fault)

    def _write(self, path: str, content: Content, span: tuple[int, int], fault: str) -> None:
        kind, _, number = fault.partition(":")
        start, stop = span
        if kind in ("cut", "stall"):
            stop = min(stop, start + int(number))
            self.close_connection = True
        piece = int(number) if kind == "drip" else _PIECE
        for data in _pieces(content, start, stop, piece):
            last = kind == "wrong" and start + len(data) == stop
            self.wfile.write(data[:-1] + bytes([data[-1] ^ 1]) if last else data)
            start += len(data)
            self.served.sent[path] += len(data)
            if kind == "drip":
                self.wfile.flush()
                time.sleep(0.1)
        if kind == "long":
            self.wfile.write(b"more")
        self.wfile.flush()
        if kind == "stall":
            time.sleep(3)


def _pieces(content: Content, start: int, stop: int, step: int) -> Iterator[bytes]:
    for begin in range(start, stop, step):
        end = min(begin + step, stop)
        yield content.part(begin, end) if isinstance(content, Sparse) else content[begin:end]
