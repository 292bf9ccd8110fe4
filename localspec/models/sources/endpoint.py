"""The hub that is asked, as every refusal names it."""

from huggingface_hub import constants

from localspec.credentials import redacted

DEFAULT_ENDPOINT = "https://huggingface.co"
TOKENS_PAGE = f"{DEFAULT_ENDPOINT}/settings/tokens"


def host() -> str:
    """The endpoint in force, and whether a variable set it."""
    mirror = constants.ENDPOINT != DEFAULT_ENDPOINT
    shown = redacted(constants.ENDPOINT)
    return f"{shown} (from HF_ENDPOINT)" if mirror else shown


def page(repo: str) -> str:
    """Where a person looks at a repository."""
    return f"{redacted(constants.ENDPOINT)}/{repo}"
