"""Is the catalog true? Each entry's files, hashes, licence and headers against the hub.

A generator of events for each entry, as a pull is: whoever watches it may stop it. What the hub
doesn't show us is unknown, never different, and where it can't be reached nothing is said of it.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from localspec.errors import (
    BrokenModelFile,
    DownloadFailed,
    NotOnHub,
    TooManyRequests,
)
from localspec.models.audit_facts import misfit, number_differences
from localspec.models.audit_files import FileReport, absent, compare_file, files_of
from localspec.models.catalog.entries import UNKNOWN, ModelFile, Pair
from localspec.models.events import Event
from localspec.models.model_file import ModelFacts
from localspec.models.remote import remote_model
from localspec.models.selection import Wanted, wanted_parts
from localspec.models.sources.hub import HubSource
from localspec.models.sources.listing import Listing, ask_listing


@dataclass(frozen=True, slots=True)
class EntryReport:
    name: str
    files: tuple[FileReport, ...]
    differs: tuple[str, ...]
    """Beyond the files: licence, gate, numbers, fit; each a sentence."""
    unknown: tuple[str, ...]
    """What the hub wouldn't show, each a sentence."""

    @property
    def state(self) -> Literal["true", "differs", "unknown"]:
        if self.differs or any(file.differs for file in self.files):
            return "differs"
        return "unknown" if self.unknown else "true"


@dataclass(slots=True)
class _Findings:
    differs: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


class Audit:
    """What was asked of the hub once is not asked again for the next entry."""

    def __init__(self, with_headers: bool = True) -> None:
        self._hub = HubSource()
        self._with_headers = with_headers
        self._listings: dict[tuple[str, str | None], Listing | DownloadFailed] = {}

    def entry(self, pair: Pair) -> Generator[Event, None, EntryReport]:
        """Raises SourceUnreachable, or TooManyRequests: then nothing is known of the entry."""
        found, files = _Findings(), []
        for wanted in files_of(pair):
            report = yield from self._file(wanted, found)
            if report is not None:
                files.append(report)
        self._compare_access(pair, found)
        if self._with_headers and not any(file.differs for file in files):
            yield from self._compare_headers(pair, found)
        unknown = tuple(dict.fromkeys(found.unknown))
        return EntryReport(pair.name, tuple(files), tuple(found.differs), unknown)

    def _file(self, wanted: Wanted, found: _Findings) -> Generator[Event, None, FileReport | None]:
        listing = yield from self._listing(wanted.repo, wanted.revision)
        if isinstance(listing, Listing):
            return compare_file(wanted, listing)
        if isinstance(listing, NotOnHub):
            at = f" at {wanted.revision}" if wanted.revision else ""
            return absent(wanted, f"there is no {wanted.repo}{at}")
        found.unknown.append(str(listing))
        return None

    def _listing(
        self, repo: str, revision: str | None
    ) -> Generator[Event, None, Listing | DownloadFailed]:
        key = (repo, revision)
        if key not in self._listings:
            try:
                self._listings[key] = yield from ask_listing(repo, revision)
            except TooManyRequests:
                raise
            except DownloadFailed as error:
                self._listings[key] = error
        return self._listings[key]

    def _compare_access(self, pair: Pair, found: _Findings) -> None:
        """The target's licence, and whether a gate stands before either file."""
        listings = [
            each
            for file in (pair.target, pair.draft)
            if file and isinstance(each := self._listings.get((file.repo, file.revision)), Listing)
        ]
        gates = [each.repo for each in listings if each.gated]
        if listings and bool(gates) != pair.gated and len(listings) == len(_own(pair)):
            now = f"{gates[0]} is gated" if gates else "nothing is gated"
            found.differs.append(f"{now}, and the catalog says {str(pair.gated).lower()}")
        target = self._listings.get((pair.target.repo, pair.target.revision))
        theirs = target.license if isinstance(target, Listing) else ""
        if theirs and pair.license != UNKNOWN and theirs.lower() != pair.license.lower():
            told = f"the licence of {pair.target.repo} is {theirs}"
            found.differs.append(f"{told}, and the catalog says {pair.license}")

    def _compare_headers(self, pair: Pair, found: _Findings) -> Generator[Event, None, None]:
        target = yield from self._facts("target", pair.target, found)
        if pair.kind != "draft" or pair.draft is None:
            # A head is no model of its own, and has no header that would say more.
            return
        draft = yield from self._facts("draft", pair.draft, found)
        if target and draft and (rule := misfit(target, draft)):
            found.differs.append(rule)

    def _facts(
        self, role: Literal["target", "draft"], file: ModelFile, found: _Findings
    ) -> Generator[Event, None, ModelFacts | None]:
        listing = self._listings.get((file.repo, file.revision))
        if not isinstance(listing, Listing):
            return None
        wanted = [_as_listed(part, listing) for part in wanted_parts(role, file)]
        try:
            facts = yield from remote_model(wanted, self._hub)
        except BrokenModelFile as error:
            found.differs.append(f"the {role} can't be loaded: {error.message}")
        except TooManyRequests:
            raise
        except DownloadFailed as error:
            found.unknown.append(str(error))
        else:
            clauses = number_differences(file, facts)
            found.differs += [f"the {role} {file.file}: {clause}" for clause in clauses]
            return facts
        return None


def _as_listed(wanted: Wanted, listing: Listing) -> Wanted:
    """With the commit, size and hash that the hub told, so that it need not be asked again."""
    listed = next(each for each in listing.files if each.file == wanted.file)
    return replace(wanted, bytes=listed.bytes, sha256=listed.sha256, revision=listing.commit)


def _own(pair: Pair) -> Sequence[ModelFile]:
    return [file for file in (pair.target, pair.draft) if file]
