"""What a repository of the hub holds: its GGUF files with sizes and hashes, at one commit."""

from collections.abc import Generator, Iterable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from huggingface_hub import constants
from pydantic import BaseModel, ConfigDict, ValidationError

from localspec.errors import DownloadFailed, LocalspecError, NotOnHub, SourceUnreachable
from localspec.models import head_store
from localspec.models.events import Event, Meter, Notice
from localspec.models.offers import ListedFile
from localspec.models.reference import is_file_name
from localspec.models.selection import Wanted
from localspec.models.sources.answers import get
from localspec.models.sources.endpoint import host
from localspec.models.sources.hub import MOST_BYTES, HubSource
from localspec.models.sources.hub_cache import SAFE_NAME, SHA256, hash_in_name
from localspec.models.sources.hub_errors import unreachable
from localspec.models.sources.transfer import Interrupted
from localspec.models.sources.waiting import answer_of

_DEADLINE_S = 20.0
_LIMIT = 16 * 2**20
_MAX_FILES = 2000
_ASKED = "its list of files"


class Listing(BaseModel):
    """A repository at the commit that the hub named."""

    model_config = ConfigDict(frozen=True)

    repo: str
    commit: str
    files: tuple[ListedFile, ...]
    """The GGUF files; every name is safe below a directory of ours."""
    license: str = ""
    gated: bool = False


def list_repo(repo: str, revision: str | None, hub: HubSource) -> Generator[Event, None, Listing]:
    """Asks the hub; without it, says what is known from before or from the hub's cache.

    Raises SourceUnreachable, or DownloadFailed for any refusal.
    """
    if constants.HF_HUB_OFFLINE:
        known = _known(repo, revision, hub)
        if known is None:
            told = f"HF_HUB_OFFLINE is set, and nothing here knows what {repo} holds."
            raise DownloadFailed(told, "Unset it.")
        return known
    try:
        listing = yield from ask_listing(repo, revision)
    except SourceUnreachable as error:
        known = _known(repo, revision, hub)
        if known is None:
            raise
        yield Notice(f"{error.message} Going by what is known of {repo} from before.")
        return known
    head_store.save_listing(repo, revision, listing.model_dump_json())
    return listing


def _known(repo: str, revision: str | None, hub: HubSource) -> Listing | None:
    """What the hub said the last time, else what its cache on this disk holds."""
    try:
        return Listing.model_validate_json(head_store.load_listing(repo, revision))
    except (OSError, ValidationError):
        pass
    commit, files = hub.cache.held(repo, revision)
    listed = [_cached(name, path) for name, path in files if is_file_name(name)]
    return Listing(repo=repo, commit=commit, files=tuple(listed)) if listed else None


def _cached(name: str, path: Path) -> ListedFile:
    return ListedFile(name, path.stat().st_size, hash_in_name(path))


def ask_listing(repo: str, revision: str | None) -> Generator[Event, None, Listing]:
    """What the hub says now; for what was said before see `list_repo`."""
    asking = Meter(repo, "target", 0).at(0, "asking")
    return (yield from answer_of(partial(_fetch, repo, revision), _DEADLINE_S, asking))


def _fetch(repo: str, revision: str | None) -> Listing:
    at = f"/revision/{quote(revision, safe='')}" if revision else ""
    url = f"{constants.ENDPOINT}/api/models/{repo}{at}?blobs=true"
    wanted = Wanted("target", repo, _ASKED, "", None, None, revision)
    data = bytearray()
    try:
        with get(wanted, url) as answer:
            for chunk in answer.iter_raw():
                data += chunk
                if len(data) > _LIMIT:
                    raise _strange(f"lists more of {repo} than can be read")
    except NotOnHub:
        raise _unknown(repo, revision) from None
    except Interrupted as error:
        raise unreachable(error) from None
    return _read(repo, bytes(data))


def _strange(what: str) -> DownloadFailed:
    """An answer that the hub wouldn't give; a page to log in at is one, as networks show it."""
    hint = "Check HF_ENDPOINT, and in a browser whether the network wants a login."
    return DownloadFailed(f"{host()} {what}.", hint)


def _unknown(repo: str, revision: str | None) -> LocalspecError:
    at = f" at {revision}" if revision else ""
    return NotOnHub(f"{host()} has no repository {repo}{at}.", "Check how it is written.")


class _Answer(BaseModel):
    """What the hub's API answers, as far as it is used."""

    sha: str
    siblings: list[dict[str, Any]]
    # What is only told on, and may be of any shape.
    cardData: Any = None
    gated: Any = False
    tags: Any = None


def _read(repo: str, data: bytes) -> Listing:
    try:
        answer = _Answer.model_validate_json(data)
    except ValidationError:
        raise _strange(f"answers with no list of the files of {repo}") from None
    # It becomes a name in the cache; a server must not choose where that is.
    if not SAFE_NAME.fullmatch(answer.sha):
        raise _strange(f"names a commit of {repo} by something that is no hash")
    named = (_file(each) for each in answer.siblings)
    files = tuple(each for each in named if each is not None)
    if len(files) > _MAX_FILES:
        raise _strange(f"lists {len(files)} GGUF files in {repo}: too many")
    card = answer.cardData if isinstance(answer.cardData, dict) else {}
    return Listing(
        repo=repo,
        commit=answer.sha,
        files=files,
        license=_license(card, _texts(answer.tags)),
        gated=bool(answer.gated),
    )


def _file(entry: dict[str, Any]) -> ListedFile | None:
    """None for other files, and for a name or size that no honest list has."""
    name, size = entry.get("rfilename"), entry.get("size")
    if not isinstance(name, str) or not is_file_name(name):
        return None
    if type(size) is not int or not 0 <= size <= MOST_BYTES:
        return None
    large = entry.get("lfs")
    told = large.get("sha256") if isinstance(large, dict) else None
    known = isinstance(told, str) and SHA256.fullmatch(told)
    return ListedFile(name, size, told if known else None)


def _license(card: dict[str, Any], tags: Iterable[str]) -> str:
    """`other` says nothing; its name does."""
    given = [card.get("license_name"), *_texts(card.get("license"))]
    tagged = [tag.removeprefix("license:") for tag in tags if tag.startswith("license:")]
    told = (text for text in (*given, *tagged) if isinstance(text, str) and text.isprintable())
    named = [text for text in told if text != "other"]
    return named[0][:100] if named else "other" if given or tagged else ""


def _texts(value: Any) -> tuple[str, ...]:
    found = value if isinstance(value, list) else [value]
    return tuple(each for each in found if isinstance(each, str))
