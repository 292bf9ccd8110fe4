"""The hub library's failures in our words: what was tried, why it failed, what to do."""

import importlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import huggingface_hub
from huggingface_hub import constants, errors

from localspec.credentials import PROXY_VARIABLES, redacted
from localspec.errors import DownloadFailed, SourceUnreachable
from localspec.models.selection import Wanted
from localspec.models.sources.connection import broken_token, connection_failure
from localspec.models.sources.endpoint import DEFAULT_ENDPOINT, host
from localspec.models.sources.refusals import ServerFault, refusal
from localspec.models.sources.transfer import Faltered, Interrupted

_CHECK = "Check the connection and the proxy, or name a mirror in HF_ENDPOINT."


class HubFaltered(SourceUnreachable):
    """Asking once more may do."""


@contextmanager
def own_errors(wanted: Wanted) -> Iterator[None]:
    """Raises Interrupted where another try may help, a LocalspecError where none will."""
    http = _http_library()
    try:
        yield
    except http.RequestError as error:
        raise connection_failure(error, http) from None
    except http.InvalidURL as error:
        told = f"HF_ENDPOINT is no web address: {redacted(str(error))}."
        raise DownloadFailed(told, "Write it as https://host, or unset it.") from None
    except UnicodeEncodeError:
        raise broken_token() from None
    except errors.OfflineModeIsEnabled:
        told = "HF_HUB_OFFLINE is set, so the hub isn't asked."
        raise SourceUnreachable(told, "Unset it.") from None
    except errors.HfHubHTTPError as error:
        raise refusal(wanted, error.response) from None


def unreachable(reason: str | Interrupted) -> SourceUnreachable:
    """What ends a command after tries that may have helped."""
    if isinstance(reason, ServerFault):
        hint = "Try again in a few minutes."
        if constants.ENDPOINT == DEFAULT_ENDPOINT:
            hint += " https://status.huggingface.co tells how it is."
        return HubFaltered(f"{host()} has a fault of its own: {reason}.", hint)
    through = f" through the proxy in {_proxy()}" if _proxy() else ""
    kind = HubFaltered if isinstance(reason, Faltered) else SourceUnreachable
    return kind(f"{host()} can't be reached{through}: {reason}.", _CHECK)


def _http_library() -> Any:
    """It changed its name between versions of the hub's library. Raises SourceUnreachable."""
    try:
        session = huggingface_hub.get_session()
    # A proxy of an unknown kind, or of one that needs another package.
    except (ValueError, ImportError) as error:
        told = f"The proxy in {_proxy()} can't be used: {redacted(str(error)).rstrip('.')}."
        raise SourceUnreachable(told, "Write it as http://host:port, or unset it.") from None
    return importlib.import_module(type(session).__module__.partition(".")[0])


def _proxy() -> str:
    return next((name for name in PROXY_VARIABLES if os.environ.get(name)), "")
