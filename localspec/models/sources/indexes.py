"""Which package indexes the user's pip would ask, and how it would reach them."""

import configparser
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import platformdirs

_PYPI = "https://pypi.org/simple"
_SECTIONS = ("global", "install", "download")


@dataclass(frozen=True, slots=True)
class IndexSettings:
    urls: tuple[str, ...]
    certificates: str | None
    proxy: str | None


def index_settings() -> IndexSettings:
    """pip's configuration files, then its environment variables, which win."""
    values = dict(_from_files()) | dict(_from_environment())
    main = [] if _is_on(values.get("no-index")) else [values.get("index-url") or _PYPI]
    extra = values.get("extra-index-url", "").split()
    # A local directory as index needs pip itself.
    urls = tuple(url for url in [*main, *extra] if url.startswith(("http://", "https://")))
    return IndexSettings(urls, values.get("cert"), values.get("proxy"))


def _from_environment() -> Iterator[tuple[str, str]]:
    for name in ("index-url", "extra-index-url", "cert", "proxy", "no-index"):
        value = os.environ.get("PIP_" + name.upper().replace("-", "_"))
        if value:
            yield name, value


def _from_files() -> Iterator[tuple[str, str]]:
    parser = configparser.RawConfigParser()
    for file in _files():
        try:
            parser.read(file, encoding="utf-8")
        except (configparser.Error, UnicodeDecodeError):
            # pip will tell the user; an index that can't be read is no reason to fail here.
            continue
    for section in _SECTIONS:
        if parser.has_section(section):
            yield from parser.items(section)


def _files() -> Iterator[Path]:
    """Later files win, as in pip."""
    named = os.environ.get("PIP_CONFIG_FILE")
    if named == os.devnull:
        return
    name = "pip.ini" if sys.platform == "win32" else "pip.conf"
    if sys.platform not in ("win32", "darwin"):
        yield Path("/etc") / name
    shared = platformdirs.site_config_dir("pip", False, multipath=True)
    yield from (Path(each) / name for each in reversed(shared.split(os.pathsep)))
    yield Path.home() / ("pip" if sys.platform == "win32" else ".pip") / name
    yield platformdirs.user_config_path("pip", False, roaming=True) / name
    yield Path(sys.prefix) / name
    if named:
        yield Path(named)


def _is_on(value: str | None) -> bool:
    return (value or "").lower() in ("1", "true", "yes", "on")
