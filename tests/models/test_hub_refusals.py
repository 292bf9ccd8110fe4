"""Every refusal of the hub and every broken line has its own sentence, with a next step."""

import importlib
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import huggingface_hub
import pytest
from huggingface_hub import constants

from localspec.errors import DownloadFailed, LocalspecError, SourceUnreachable
from localspec.models.selection import Wanted
from localspec.models.sources.hub import HubSource
from localspec.models.sources.hub_errors import own_errors, unreachable
from localspec.models.sources.transfer import Interrupted
from tests.models.scene import Scene
from tests.models.tiny_catalog import COMMIT, REPO, TARGET

SECRET = "hf_abcdefghijklmnopqrstuvwxyz"
ANY = Wanted("target", REPO, TARGET, "Q8_0", None, None, COMMIT)
GATED = {"X-Error-Code": "GatedRepo"}
AWAITING = GATED | {"X-Error-Message": "Your request is awaiting a review from the repo authors."}
WRONG_TOKEN = {"X-Error-Message": "Invalid credentials in Authorization header"}
DISABLED = {"X-Error-Message": "Access to this resource is disabled."}


@pytest.fixture(params=[False, True], ids=["no token", "token"])
def token(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", "/nowhere/token")
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_TOKEN_PATH"):
        monkeypatch.delenv(name, raising=False)
    if request.param:
        monkeypatch.setenv("HF_TOKEN", SECRET)
    return bool(request.param)


def refusal(scene: Scene, status: int, headers: dict[str, str]) -> str:
    scene.stub.head_status[scene.target_path] = status
    scene.stub.headers = headers
    with pytest.raises(LocalspecError) as caught:
        HubSource().locate(ANY)
    error = caught.value
    assert error.hint, "no next step"
    assert SECRET not in str(error) + repr(error.__dict__)
    assert "\n" not in str(error)
    return str(error)


REFUSALS = [
    # status, headers, words without a token, words with one
    (401, {}, "without a token", "doesn't accept the token in HF_TOKEN"),
    (401, WRONG_TOKEN, "without a token", "It is wrong or has ended"),
    (401, GATED, "then set HF_TOKEN to a token from", "with the account of the token in HF_TOKEN"),
    (403, GATED, "then set HF_TOKEN to a token from", "with the account of the token in HF_TOKEN"),
    (403, AWAITING, "haven't answered your request", "haven't answered your request"),
    (403, DISABLED, "has disabled maker/tiny", "has disabled maker/tiny"),
    (403, {}, "forbids access", "The token in HF_TOKEN may not read"),
    (404, {}, f"has no {TARGET} in", f"has no {TARGET} in"),
    (404, {"X-Error-Code": "EntryNotFound"}, "(any more, status 404)", "choose another --quant"),
    (404, {"X-Error-Code": "RevisionNotFound"}, f"no revision {COMMIT[:12]}", "no revision"),
    (404, {"X-Error-Code": "RepoNotFound"}, "if it is private, set HF_TOKEN", "must be let in"),
    (407, {}, "The proxy wants a name and a password", "http://name:password@host:port"),
    (429, {}, "in a few minutes, or set HF_TOKEN", "Try again in a few minutes."),
    (429, {"Retry-After": "30"}, "in 30 seconds", "in 30 seconds."),
    (429, {"RateLimit": '"api";r=0;t=55'}, "in 55 seconds", "in 55 seconds"),
    (429, {"Retry-After": "Fri, 31 Dec 1999"}, "in a few minutes", "in a few minutes"),
    (451, {}, "by law", "by law"),
    (418, {}, "with status 418", "with status 418"),
    (500, {}, "has a fault of its own", "Try again in a few minutes."),
    (503, {}, "status 503", "status 503"),
    (408, {}, "status 408", "status 408"),
]


@pytest.mark.parametrize(("status", "headers", "without", "with_one"), REFUSALS)
def test_each_refusal_tells_what_to_do(
    scene: Scene, token: bool, status: int, headers: dict[str, str], without: str, with_one: str
) -> None:
    """A private file, a wrong token, a limit and a missing file were the same sentence."""
    assert (with_one if token else without) in refusal(scene, status, headers)


def test_the_four_are_four_sentences(scene: Scene, token: bool) -> None:
    told = {refusal(scene, status, {}) for status in (401, 403, 404, 429)}
    assert len(told) == 4


def test_a_refusal_amid_the_bytes_is_the_same_sentence(scene: Scene, token: bool) -> None:
    """Only the first question had sentences: a token may end while a file is fetched."""
    scene.stub.faults[scene.target_path] = ["cut:1000", "status:403"]
    with pytest.raises(DownloadFailed, match="status 403") as caught:
        scene.pull(source="hub")
    assert caught.value.hint
    assert SECRET not in str(caught.value)


def test_a_token_that_cant_be_sent_is_not_shown(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The HTTP library's complaint about a header quoted the header, with the token in it."""
    for value in (f"{SECRET}\x0bx", f"{SECRET}…"):
        monkeypatch.setenv("HF_TOKEN", value)
        with pytest.raises(DownloadFailed, match="The token in HF_TOKEN holds char") as caught:
            HubSource().locate(ANY)
        assert "abcdef" not in str(caught.value)


def test_passwords_in_urls_are_not_shown(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mirror's and a proxy's password stood in every refusal."""
    secret = scene.stub.url.replace("http://", "http://me:pass%40word@")
    monkeypatch.setattr(constants, "ENDPOINT", secret)
    monkeypatch.setenv("HF_ENDPOINT", secret)
    told = refusal(scene, 404, {})
    assert f"http://***@127.0.0.1:{scene.stub.port} (from HF_ENDPOINT)" in told
    for proxy in ("socks9://me:password9@127.0.0.1:9", "socks5://me:password9@127.0.0.1:9"):
        huggingface_hub.close_session()
        monkeypatch.setenv("ALL_PROXY", proxy)
        with pytest.raises(SourceUnreachable, match="The proxy in ALL_PROXY can't be") as caught:
            HubSource().locate(ANY)
        assert "password9" not in str(caught.value)
    monkeypatch.delenv("ALL_PROXY")
    huggingface_hub.close_session()


@contextmanager
def raised_as_the_library_does(cause: Exception, name: str) -> Iterator[None]:
    http = importlib.import_module(type(huggingface_hub.get_session()).__module__.partition(".")[0])
    with own_errors(ANY):
        raise getattr(http, name)(str(cause)) from cause
    yield


CERTIFICATE = ssl.SSLCertVerificationError("certificate verify failed")
CERTIFICATE.verify_message = "self-signed certificate"


@pytest.mark.parametrize(
    ("cause", "name", "words"),
    [
        (socket.gaierror(-2, "Name or service not known"), "ConnectError", "looked up (DNS)"),
        (ConnectionRefusedError(111, "refused"), "ConnectError", "nobody listens there"),
        (TimeoutError(), "ConnectTimeout", "no connection came about in time"),
        (TimeoutError(), "ReadTimeout", "no answer came in time"),
        (OSError(101, "Network is unreachable"), "ConnectError", "Network is unreachable"),
        (OSError(f"sent {SECRET} to http://me:pw@there/"), "ReadError", "sent *** to http://***@"),
        (CERTIFICATE, "ConnectError", "isn't trusted here: self-signed certificate. If a proxy"),
        (OSError("407 Proxy Authentication Required"), "ProxyError", "wants a name and a password"),
        (OSError("403 Forbidden"), "ProxyError", "doesn't let us through"),
        (OSError("no scheme"), "UnsupportedProtocol", "is no web address"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_broken_line_has_its_words(cause: Exception, name: str, words: str) -> None:
    """No name, no listener, no time and no trust all read `can't be reached`."""
    with (
        pytest.raises((Interrupted, LocalspecError)) as caught,
        raised_as_the_library_does(cause, name),
    ):
        pass
    error = caught.value
    shown = str(unreachable(error) if isinstance(error, Interrupted) else error)
    assert words in shown
    assert SECRET not in shown


def test_a_mirror_that_is_no_address(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    for endpoint in ("mirror.example", "http://mirror.example:port"):
        template = endpoint + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(constants, "ENDPOINT", endpoint)
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        with pytest.raises(DownloadFailed, match="is no web address"):
            HubSource().locate(ANY)


@contextmanager
def untrusted_server() -> Iterator[int]:
    """A port that shows a certificate which nobody signed; its key is for this test alone."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(Path(__file__).with_name("untrusted.pem"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


def test_a_real_certificate_nobody_knows(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the library makes of it: the words hang on its chain of causes."""
    with untrusted_server() as port:
        endpoint = f"https://127.0.0.1:{port}"
        template = endpoint + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(constants, "ENDPOINT", endpoint)
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        with pytest.raises(SourceUnreachable, match="isn't trusted here"):
            HubSource().locate(ANY)
