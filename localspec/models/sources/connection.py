"""Why no answer came: names, sockets, certificates, proxies and time, in words."""

import socket
import ssl
from collections.abc import Iterator
from typing import Any

from huggingface_hub import constants

from localspec.credentials import redacted, token_place
from localspec.errors import DownloadFailed, LocalspecError, SourceUnreachable
from localspec.models.sources.endpoint import OTHER_MIRROR, TOKENS_PAGE, host
from localspec.models.sources.transfer import Faltered, Interrupted


def connection_failure(error: Exception, http: Any) -> LocalspecError | Interrupted:
    """`http` is the library that raised it: httpx, under the name that the hub's library uses."""
    # The text holds the header that was refused, and with it the token.
    if isinstance(error, http.LocalProtocolError):
        return broken_token()
    if isinstance(error, http.UnsupportedProtocol):
        return _no_address()
    if isinstance(error, http.TooManyRedirects):
        return too_many_redirects()
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return _untrusted(cause)
    if isinstance(error, http.ProxyError):
        return _proxy_refusal(error)
    broke_off = isinstance(error, http.ReadError | http.WriteError | http.RemoteProtocolError)
    return (Faltered if broke_off else Interrupted)(_reason(error, http))


def too_many_redirects() -> DownloadFailed:
    return DownloadFailed(f"{host()} redirects from one address to the next.", OTHER_MIRROR)


def _no_address() -> DownloadFailed:
    if constants.ENDPOINT.startswith(("http://", "https://")):
        return DownloadFailed(f"{host()} redirects to what is no web address.", OTHER_MIRROR)
    return DownloadFailed(f"{host()} is no web address.", "Write it as https://host, or unset it.")


def broken_token() -> DownloadFailed:
    told = f"The token in {token_place()} holds characters that no token has."
    return DownloadFailed(told, f"Set it anew, as {TOKENS_PAGE} shows it.")


def _untrusted(error: ssl.SSLCertVerificationError) -> SourceUnreachable:
    why = redacted(error.verify_message or "it can't be verified")
    told = f"The certificate that {host()} shows isn't trusted here: {why}."
    hint = "If a proxy reads the traffic, name its certificates in SSL_CERT_FILE; else mind who"
    return SourceUnreachable(told, f"{hint} answers.")


def _proxy_refusal(error: Exception) -> SourceUnreachable:
    why = redacted(str(error)) or "it gave no reason"
    told = f"The proxy doesn't let us through to {host()}: {why}."
    if "407" in why:
        hint = "It wants a name and a password: http://name:password@host:port in HTTPS_PROXY."
        return SourceUnreachable(told, hint)
    return SourceUnreachable(told, "Ask who runs it, or add the host to NO_PROXY.")


def _reason(error: Exception, http: Any) -> str:
    causes = list(_causes(error))
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return "a host's name can't be looked up (DNS)"
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return "nobody listens there (connection refused)"
    if isinstance(error, http.ConnectTimeout):
        return "no connection came about in time"
    if isinstance(error, http.TimeoutException):
        return "no answer came in time"
    if isinstance(error, http.RemoteProtocolError | http.DecodingError):
        # The text may hold what the server sent instead of an answer.
        cut = str(error).startswith(("Server disconnected", "peer closed"))
        return "the connection was closed early" if cut else "what came is no HTTP answer"
    return redacted(str(error)).rstrip(".") or type(error).__name__


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
