"""One GET of the hub: its answer is read piece by piece, and nothing of it but what was asked for.

The library reads the bodies of refusals and of redirects whole, and unpacks what is packed: a
server could fill the memory with any of them. So none of the three is left to it here.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import huggingface_hub
from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]

from localspec.errors import DownloadFailed
from localspec.models.selection import Wanted
from localspec.models.sources.connection import too_many_redirects
from localspec.models.sources.endpoint import OTHER_MIRROR, host
from localspec.models.sources.hub_errors import own_errors
from localspec.models.sources.refusals import refusal

TIMEOUT_S = 10
_MOST_REDIRECTS = 10


@contextmanager
def get(wanted: Wanted, url: str, start: int = 0, stop: int | None = None) -> Iterator[Any]:
    """The answer with the bytes from `start` to before `stop`, or, of a server that knows no
    ranges, with all.

    Raises Interrupted where another try may help, a LocalspecError where none will; both also for
    what its reader meets.
    """
    headers = build_hf_headers() | {"Accept-Encoding": "identity"}
    if start or stop is not None:
        headers["Range"] = f"bytes={start}-{'' if stop is None else stop - 1}"
    with own_errors(wanted):
        session = huggingface_hub.get_session()
        request = session.build_request("GET", url, headers=headers, timeout=TIMEOUT_S)
        answer = _followed(session, request)
        try:
            if answer.status_code not in (200, 206):
                raise refusal(wanted, answer)
            if answer.headers.get("Content-Encoding", "identity").lower() != "identity":
                told = f"{host()} sends {wanted.file} packed, which it wasn't asked for."
                raise DownloadFailed(told, OTHER_MIRROR)
            yield answer
        finally:
            answer.close()


def _followed(session: Any, request: Any) -> Any:
    """The answer behind the redirects, which the token doesn't go along to."""
    for _ in range(_MOST_REDIRECTS):
        answer = session.send(request, stream=True, follow_redirects=False)
        request = answer.next_request
        if request is None:
            return answer
        answer.close()
    raise too_many_redirects()
