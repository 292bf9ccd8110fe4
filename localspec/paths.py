"""Every directory and file that localspec owns, in one place.

`LOCALSPEC_CONFIG_DIR`, `LOCALSPEC_DATA_DIR` and `LOCALSPEC_CACHE_DIR` move them.
"""

import os
from pathlib import Path

import platformdirs


def _directory(variable: str, default: Path) -> Path:
    # A `~user` that nobody has stays as it is written.
    return Path(os.path.expanduser(os.environ[variable])) if os.environ.get(variable) else default  # noqa: PTH111


def config_dir() -> Path:
    return _directory("LOCALSPEC_CONFIG_DIR", platformdirs.user_config_path("localspec", False))


def data_dir() -> Path:
    return _directory("LOCALSPEC_DATA_DIR", platformdirs.user_data_path("localspec", False))


def cache_dir() -> Path:
    return _directory("LOCALSPEC_CACHE_DIR", platformdirs.user_cache_path("localspec", False))


def config_file() -> Path:
    return config_dir() / "config.toml"


def own_pairs_file() -> Path:
    """The user's own entries of the catalog."""
    return config_dir() / "pairs.json"


def models_dir() -> Path:
    """Model files that localspec itself joined or converted; hub files stay in the hub's cache."""
    return data_dir() / "models"


def hub_home() -> Path:
    """Where the hub's own programs keep their things: its variables, as its library reads them."""
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return _expanded(os.environ.get("HF_HOME") or f"{cache}/huggingface")


def hub_cache_dir() -> Path:
    """Where pulled files lie, for other programs too."""
    named = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE")
    return _expanded(named) if named else hub_home() / "hub"


def hub_token_file() -> Path:
    named = os.environ.get("HF_TOKEN_PATH")
    return _expanded(named) if named else hub_home() / "token"


def _expanded(text: str) -> Path:
    return Path(os.path.expandvars(os.path.expanduser(text)))  # noqa: PTH111


def pairs_dir() -> Path:
    """One JSON file for each pair on this disk."""
    return data_dir() / "pairs"


def history_file() -> Path:
    return data_dir() / "history.sqlite3"


def state_file() -> Path:
    """What was chosen on the screen."""
    return data_dir() / "state.json"


def sent_file() -> Path:
    """What was sent from the prompt, for its arrows."""
    return data_dir() / "sent.jsonl"


def log_file() -> Path:
    return cache_dir() / "localspec.log"


def presets_dir() -> Path:
    """One TOML file for each named system prompt with its sampling."""
    return config_dir() / "presets"


def user_themes_dir() -> Path:
    return config_dir() / "themes"


def shipped_themes_dir() -> Path:
    """In a wheel the themes lie inside the package, in a checkout beside it."""
    package = Path(__file__).parent
    inside = package / "themes"
    return inside if inside.is_dir() else package.parent / "themes"
