"""The hub library's failures in our words: what was tried, why it failed, what to do."""

import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import huggingface_hub
from huggingface_hub import constants, errors

from localspec.errors import DownloadFailed, LocalspecError, SourceUnreachable
from localspec.models.selection import Wanted
from localspec.models.sources.transfer import Interrupted

DEFAULT_ENDPOINT = "https://huggingface.co"
_CHECK = "Check the connection and the proxy, or name a mirror in HF_ENDPOINT."


def host() -> str:
    """The endpoint in force, named in every refusal."""
    mirror = constants.ENDPOINT != DEFAULT_ENDPOINT
    return f"{constants.ENDPOINT} (from HF_ENDPOINT)" if mirror else constants.ENDPOINT


@contextmanager
def own_errors(wanted: Wanted) -> Iterator[None]:
    """Raises Interrupted where another try may help, a LocalspecError where none will."""
    # The HTTP library changed its name between versions of the hub's library.
    http: Any = importlib.import_module(
        type(huggingface_hub.get_session()).__module__.partition(".")[0]
    )
    try:
        yield
    except http.TransportError as error:
        reason = str(error) or type(error).__name__
        raise Interrupted(reason) from None
    except errors.HfHubHTTPError as error:
        raise _refusal(wanted, error) from None


def unreachable(reason: str) -> SourceUnreachable:
    names = ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")
    proxy = next((name for name in names if os.environ.get(name)), "")
    through = f" through the proxy in {proxy}" if proxy else ""
    return SourceUnreachable(f"{host()} can't be reached{through}: {reason}.", _CHECK)


def _refusal(wanted: Wanted, error: errors.HfHubHTTPError) -> LocalspecError | Interrupted:
    status = error.response.status_code
    page = f"{constants.ENDPOINT}/{wanted.repo}"
    if isinstance(error, errors.GatedRepoError):
        told = f"{wanted.repo} is gated: its licence must be accepted first."
        return DownloadFailed(told, f"Accept it at {page}, then set HF_TOKEN.")
    if status in (401, 403):
        told = f"{host()} gives no access to {wanted.repo} (status {status})."
        return DownloadFailed(told, "It is private or gone; HF_TOKEN may open it.")
    if status == 404:
        revision = f" at {wanted.revision[:12]}" if wanted.revision else ""
        told = f"{host()} has no {wanted.file} in {wanted.repo}{revision} (any more)."
        return DownloadFailed(told, f"Look at {page}, or choose another --quant.")
    if status == 429:
        wait = error.response.headers.get("Retry-After", "")
        when = f"in {wait} seconds" if wait.isdigit() else "in a few minutes"
        told = f"{host()} limits downloads from here (status 429)."
        return DownloadFailed(told, f"Try again {when}, or set HF_TOKEN.")
    if status >= 500:
        return Interrupted(f"{host()} answered with status {status}")
    return DownloadFailed(f"{host()} refused {wanted.file} with status {status}.")
