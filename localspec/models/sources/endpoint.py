"""The hub that is asked, as every refusal names it, and where its files are."""

from urllib.parse import urlsplit

import huggingface_hub
from huggingface_hub import constants

from localspec.credentials import redacted
from localspec.models.selection import Wanted

DEFAULT_ENDPOINT = "https://huggingface.co"
TOKENS_PAGE = f"{DEFAULT_ENDPOINT}/settings/tokens"
OTHER_MIRROR = "Try again later, or another mirror in HF_ENDPOINT."
"""What to do about a server that answers, but not as the hub does."""


def host() -> str:
    """The endpoint in force, and whether a variable set it."""
    mirror = constants.ENDPOINT != DEFAULT_ENDPOINT
    shown = redacted(constants.ENDPOINT)
    return f"{shown} (from HF_ENDPOINT)" if mirror else shown


def page(repo: str) -> str:
    """Where a person looks at a repository."""
    return f"{redacted(constants.ENDPOINT)}/{repo}"


def file_url(wanted: Wanted) -> str:
    return huggingface_hub.hf_hub_url(wanted.repo, wanted.file, revision=wanted.revision)


def from_elsewhere(wanted: Wanted, location: str) -> str:
    """Whose bytes they are, where a mirror is set and another host sends them; else empty."""
    mirror, other = urlsplit(constants.ENDPOINT).hostname, urlsplit(location).hostname
    if constants.ENDPOINT != DEFAULT_ENDPOINT and other and other != mirror:
        return f"{host()} sends the bytes of {wanted.file} from {other}."
    return ""
