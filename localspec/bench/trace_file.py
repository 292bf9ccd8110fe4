"""Traces on disk: JSON lines, a header and then a reply each. Nothing in a file is trusted."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from gzip import GzipFile, compress
from importlib.resources import files
from io import BytesIO
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import Any

from localspec.bench.output_file import write_whole
from localspec.bench.trace import Trace
from localspec.errors import UsageError

_MOST_BYTES = 1 << 28
"""Of a file's text: a small file may claim to hold terabytes."""
_MOST_ID = 2**31 - 1


@dataclass(frozen=True, slots=True)
class TraceFile:
    """Traces of one pair and the seconds of its passes where they were recorded."""

    target: str
    draft: str
    device: str
    costs: dict[str, Any]
    """`CostTable.report()`."""
    traces: list[Trace]


def write_traces(path: Path, file: TraceFile) -> None:
    """Compressed when the name ends in .gz; whole or not at all. Raises LocalspecError."""
    header = {name: getattr(file, name) for name in _HEADER}
    lines = [json.dumps(header)]
    lines += [json.dumps(asdict(trace), separators=(",", ":")) for trace in file.traces]
    data = ("\n".join(lines) + "\n").encode()
    # Without a time stamp the same traces are the same bytes.
    write_whole(path, compress(data, mtime=0) if path.suffix == ".gz" else data)


def read_traces(path: Path) -> TraceFile:
    """Raises UsageError on anything that is not a trace file."""
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if path.suffix == ".gz":
            data = GzipFile(fileobj=BytesIO(data)).read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise ValueError("it is too large")
        return _parsed(data.decode())
    except OSError as error:
        reason = error.strerror or str(error)
    except UnicodeDecodeError:
        reason = "it is not UTF-8 text"
    except RecursionError:
        reason = "it is nested too deeply"
    except (EOFError, zlib.error, ValueError) as error:
        reason = str(error)
    raise UsageError(f"{path} is not a trace file: {reason}.")


SHIPPED = ("greedy", "sampled")


def shipped(name: str) -> Path:
    """The file of a recording that came along. Raises UsageError where it is absent."""
    path = Path(str(files("localspec.bench").joinpath("traces", f"{name}.jsonl.gz")))
    if not path.is_file():
        how = "Record some: localspec bench --record traces.jsonl.gz"
        raise UsageError(f"This installation has no {name} traces ({path}).", how)
    return path


_HEADER = [field.name for field in fields(TraceFile) if field.name != "traces"]
_IDS, _SHARES = ("prompt", "reply", "guesses"), ("probs", "certain", "drawn")


def _parsed(text: str) -> TraceFile:
    first, *rest = text.split("\n")
    header = _object(first, _HEADER, 1)
    if any(not isinstance(header[name], str) for name in ("target", "draft", "device")):
        raise ValueError("its first line has no names of a pair")
    if not isinstance(header["costs"], dict):
        raise ValueError("its first line has no costs")
    traces = list(_traces(rest))
    if not traces:
        raise ValueError("it holds no replies")
    return TraceFile(**header, traces=traces)


def _traces(lines: Iterable[str]) -> Iterator[Trace]:
    names = [field.name for field in fields(Trace)]
    for number, line in enumerate(lines, 2):
        if not line.strip():
            continue
        row = _object(line, names, number, {"predicted": []})
        if problem := _problem(row):
            raise ValueError(f"line {number} {problem}")
        yield Trace(**row)


def _object(
    line: str, names: Sequence[str], number: int, defaults: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError:
        raise ValueError(f"line {number} is not JSON") from None
    if not isinstance(row, dict) or set({**defaults, **row}) != set(names):
        raise ValueError(f"line {number} does not have the fields of a trace")
    return {**defaults, **row}


def _problem(row: dict[str, Any]) -> str:
    """What is wrong with a trace's fields, as a part of a sentence."""
    if not isinstance(row["category"], str):
        return "has no category"
    if not _is_number(row["temperature"], 10.0):
        return "has no temperature"
    predicted = row["predicted"]
    if not isinstance(predicted, list):
        return "has no list of predicted texts"
    if not all(map(_are_ids, [*predicted, *(row[name] for name in _IDS)])):
        return "has something else where ids should be"
    for name in _SHARES:
        if not isinstance(row[name], list) or not all(_is_number(x, 1.0001) for x in row[name]):
            return f"has something else than probabilities as {name}"
    columns = (*_IDS[1:], *_SHARES)
    if not row["prompt"] or not row["reply"] or len({len(row[name]) for name in columns}) > 1:
        return "is not whole"
    return ""


def _are_ids(ids: Any) -> bool:
    return isinstance(ids, list) and all(type(x) is int and 0 <= x <= _MOST_ID for x in ids)


def _is_number(value: Any, most: float) -> bool:
    return type(value) in (int, float) and isfinite(value) and 0.0 <= value <= most
