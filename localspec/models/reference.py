"""What a user types for a model: a name that localspec knows, or a place on the hub."""

import os
import re
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from localspec.errors import UsageError
from localspec.models import catalog
from localspec.models.compat import ascii_safe

DEFAULT_QUANT = "Q4_K_M"
"""Taken where none was said."""
_HOSTS = frozenset({"huggingface.co", "www.huggingface.co", "hf.co"})
_PART = re.compile(r"(?!.*(?:--|\.\.))\w(?:[\w.-]{0,94}\w)?", re.ASCII)
_QUANT = re.compile(r"\w[\w.-]{0,63}", re.ASCII)
_REVISION = re.compile(r"(?!.*\.\.)\w[\w./-]{0,127}", re.ASCII)
_MAX_LENGTH = 2000
_NOT_IN_NAMES = re.compile(r'[\\:*?"<>|]')
_SHAPES = "Give user/repo, user/repo:QUANT, user/repo/FILE.gguf or the page's address."


@dataclass(frozen=True, slots=True)
class Name:
    """A name of the catalog or of a pair on this disk."""

    name: str
    quant: str | None = None

    def __str__(self) -> str:
        return f"{self.name}:{self.quant}" if self.quant else self.name


@dataclass(frozen=True, slots=True)
class Repo:
    """A repository of the hub, and which of its models if that was said."""

    repo: str
    quant: str | None = None
    file: str | None = None
    """The path of a GGUF file in the repository."""
    revision: str | None = None

    def __str__(self) -> str:
        if self.file:
            return f"{self.repo}/{self.file}"
        return f"{self.repo}:{self.quant}" if self.quant else self.repo


def parse(text: str) -> Name | Repo:
    """Raises UsageError for what can be neither."""
    given = text.strip()
    if len(given) > _MAX_LENGTH or not given.isprintable():
        raise _refused(given, "no name or address of a model")
    if given.startswith(("/", "./", "../", "~")) or "\\" in given:
        told = f"{ascii_safe(given)} is a path on this machine."
        raise UsageError(told, "Register your own files: `localspec add NAME --target FILE`.")
    if "/" not in given:
        return _name(given)
    if "://" in given or given.lower().startswith(tuple(f"{host}/" for host in _hosts())):
        return _address(given)
    return _path(given, [unquote(part) for part in given.rstrip("/").split("/")])


def _name(given: str) -> Name:
    # Names of the catalog may hold a colon themselves, as llama3.3:70b.
    name, colon, quant = given.rpartition(":")
    if not colon or catalog.find(given) is not None:
        return Name(given)
    return Name(name, _quant(given, quant))


def _address(given: str) -> Repo:
    try:
        url = urlsplit(given if "://" in given else f"https://{given}")
        site = _site(url)
    except ValueError:
        raise _refused(given, "no address") from None
    if "@" in url.netloc:
        told = "The address has a user or a password in it."
        raise UsageError(told, "Leave out what stands before the @; the token is sent by itself.")
    if url.scheme not in ("http", "https") or site not in _hosts():
        told = f"{ascii_safe(given)} is no address of a model repository."
        raise UsageError(told, f"Known hosts: {', '.join(sorted(_hosts()))}.")
    path = (
        url.path.removeprefix(_mirror().path.rstrip("/")) if site == _site(_mirror()) else url.path
    )
    parts = [unquote(part) for part in path.strip("/").split("/")]
    if parts[0] in ("datasets", "spaces"):
        raise _refused(given, f"something in the hub's {parts[0]}, not a model")
    kind = parts[2] if len(parts) > 2 else ""
    if kind not in ("blob", "resolve", "raw", "tree"):
        shown = parse_qs(url.query).get("show_file_info", [])
        return _path(given, parts + shown[:1])
    revision, inside = (parts[3] if len(parts) > 3 else "main"), parts[4:]
    if kind == "tree" and inside:
        raise _refused(given, "a folder, not a model")
    found = _path(given, parts[:2] + inside)
    if not _REVISION.fullmatch(revision):
        raise _refused(given, "no revision of a repository")
    return Repo(found.repo, found.quant, found.file, None if revision == "main" else revision)


def _path(given: str, parts: list[str]) -> Repo:
    """user/repo, user/repo:QUANT or user/repo/FILE.gguf."""
    last, colon, quant = parts[-1].rpartition(":")
    if colon and len(parts) == 2:
        parts = [parts[0], last]
    repo, inside = "/".join(parts[:2]), parts[2:]
    if len(parts) < 2 or not all(map(_PART.fullmatch, parts[:2])) or len(repo) > 96:
        raise _refused(given, "no repository of the hub")
    if not inside:
        return Repo(repo, _quant(given, quant) if colon and len(parts) == 2 else None)
    if not is_file_name("/".join(inside)):
        raise _refused(given, "no GGUF file of a repository")
    return Repo(repo, file="/".join(inside))


def one_quant(asked: Name | Repo, option: str | None) -> str | None:
    """The quantisation, which may stand in the name or in an option. Raises UsageError."""
    named = asked.quant or (isinstance(asked, Repo) and asked.file) or None
    if named and option and named.lower() != option.lower():
        raise UsageError(f"{named} and the quantisation {option} exclude each other.")
    return asked.quant or option


def is_file_name(path: str) -> bool:
    """Can this, from a user or a server, be a GGUF file's path below a directory of ours?"""
    parts = path.split("/")
    return (
        path.lower().endswith(".gguf")
        and path.isprintable()
        and not _NOT_IN_NAMES.search(path)
        and all(part.strip(". ") and len(part.encode()) <= 240 for part in parts)
        and len(parts) <= 8
    )


def _quant(given: str, quant: str) -> str | None:
    if not _QUANT.fullmatch(quant):
        raise _refused(given, "no quantisation")
    # Other programs write it where none is meant.
    return None if quant.lower() == "latest" else quant


def _hosts() -> frozenset[str]:
    """Where a copied address may point; its files come from HF_ENDPOINT all the same."""
    mirror = _site(_mirror())
    return _HOSTS | {mirror} if mirror else _HOSTS


def _mirror() -> SplitResult:
    try:
        url = urlsplit(os.environ.get("HF_ENDPOINT", ""))
        _site(url)
    except ValueError:
        # Whoever asks it will say so.
        return urlsplit("")
    return url


def _site(url: SplitResult) -> str:
    """Host and port as one would write them, without user and password. Raises ValueError."""
    usual = {"http": 80, "https": 443}.get(url.scheme)
    host = url.hostname or ""
    host = f"[{host}]" if ":" in host else host
    return host if url.port in (None, usual) else f"{host}:{url.port}"


def _refused(given: str, what: str) -> UsageError:
    return UsageError(f"{ascii_safe(given)} names {what}.", _SHAPES)
