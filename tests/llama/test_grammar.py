"""llama.cpp's grammar sampler: exact, and never made to end the process."""

import json
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest

from localspec.engine.sampling import Sampler, SamplingParams
from localspec.errors import UsageError
from localspec.llama.grammar import LlamaGrammar
from localspec.llama.model import LlamaModel
from tests.conftest import TinyFiles
from tests.llama.test_context import load

END = 258
ENDS = {256, 258}
NUMBERS = 'root ::= "[" ( number ( "," number )* )? "]"\nnumber ::= [1-9] [0-9]*'


@pytest.fixture(scope="module")
def model(tiny_files: TinyFiles) -> Iterator[LlamaModel]:
    loaded = load(tiny_files.target)
    yield loaded
    loaded.close()


@pytest.fixture
def grammar(model: LlamaModel) -> Iterator[LlamaGrammar]:
    made = make(model, NUMBERS)
    yield made
    made.close()


def make(model: LlamaModel, source: str) -> LlamaGrammar:
    made = model.grammar(SamplingParams(grammar=source))
    assert made is not None
    return made


def may_follow(grammar: LlamaGrammar, ahead: bytes | tuple[int, ...] = ()) -> set[int]:
    return set(grammar.all_allowed(tuple(ahead)).tolist())


def test_what_may_follow(grammar: LlamaGrammar) -> None:
    digits = set(b"0123456789")
    assert may_follow(grammar) == {ord("[")}
    assert may_follow(grammar, b"[") == digits - {ord("0")} | {ord("]")}
    assert may_follow(grammar, b"[12") == digits | set(b",]")
    assert may_follow(grammar, b"[12]") == ENDS
    assert may_follow(grammar, (*b"[12]", END)) == ENDS


@pytest.mark.parametrize("source", [NUMBERS, "root ::= .*", 'root ::= ("th" | [^é"])+ "é"'])
def test_the_search_equals_asking_about_every_id(model: LlamaModel, source: str) -> None:
    grammar = make(model, source)
    every = np.arange(model.n_vocab)
    rng = np.random.default_rng(0)
    ahead: list[int] = []
    for _ in range(40):
        allowed = grammar.all_allowed(ahead)
        assert allowed.tolist() == every[grammar.allowed(every, ahead)].tolist()
        going_on = allowed[allowed < 256]
        if len(going_on) == 0:
            break
        ahead.append(int(rng.choice(going_on)))
    grammar.close()


def test_control_tokens_are_no_text(model: LlamaModel) -> None:
    """llama.cpp matches their names, and the reply would lack them."""
    grammar = make(model, 'root ::= "<|im_start|>" | "th"')
    assert may_follow(grammar) == {ord("<"), ord("t"), 259}
    grammar.close()


def test_only_commit_moves_the_state(grammar: LlamaGrammar) -> None:
    """The state advanced on rejected tokens (B42)."""
    for ahead in (b"[1", b"[2,", b"x", b"[", b"[9]"):
        may_follow(grammar, ahead)
        assert may_follow(grammar) == {ord("[")}
    grammar.commit(list(b"[7"))
    for ahead in (b",5", b",,", b"]"):
        may_follow(grammar, ahead)
    assert may_follow(grammar) == set(b"0123456789,]")
    may_follow(grammar, b",")
    may_follow(grammar, b",5")
    grammar.commit(list(b",5]"))
    assert may_follow(grammar) == ENDS


@pytest.mark.parametrize("wrong", [b"x", b"[[", b"[0", (END,), (*b"[1", END), (-1,), (10**6,)])
def test_a_token_that_is_not_allowed_is_never_accepted(
    grammar: LlamaGrammar, wrong: bytes | tuple[int, ...]
) -> None:
    """llama.cpp ends the process: "Unexpected empty grammar stack", or an abort at an end token."""
    assert may_follow(grammar, wrong) == set()
    assert may_follow(grammar, b"[") != set()
    grammar.commit(tuple(wrong))
    assert may_follow(grammar) == set()
    row = np.zeros(260, np.float32)
    assert Sampler(SamplingParams(), grammar).distribution(row).ids[0] in grammar.end_tokens


def test_closing_twice_is_fine(grammar: LlamaGrammar) -> None:
    may_follow(grammar, b"[")
    grammar.close()
    grammar.close()
    assert may_follow(grammar) == set()


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ('root ::= "a', "is not expected"),
        ('root ::= (("a"{0,50} "b"){0,50}){0,50}', "can't take the grammar: .*repetition"),
    ],
)
def test_a_grammar_that_is_not_one_is_refused_quietly(
    model: LlamaModel, capfd: pytest.CaptureFixture[str], source: str, reason: str
) -> None:
    """llama.cpp printed the grammar and its complaint over the screen."""
    with pytest.raises(UsageError, match=reason):
        make(model, source)
    assert capfd.readouterr().err == ""


def test_both_kinds_of_source(model: LlamaModel) -> None:
    assert model.grammar(SamplingParams()) is None
    schema = model.grammar(SamplingParams(json_schema='{"type": "boolean"}'))
    assert schema is not None
    assert may_follow(schema) == set(b"tf")
    schema.close()
    with pytest.raises(UsageError, match="minimum"):
        model.grammar(SamplingParams(json_schema='{"type": "integer", "minimum": 1}'))


@pytest.mark.parametrize("seed", range(3))
def test_a_sampled_reply_follows_the_schema(model: LlamaModel, seed: int) -> None:
    properties = {"name": {"type": "string", "maxLength": 5}, "ok": {"type": "boolean"}}
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    params = SamplingParams(temperature=1.0, top_k=0, top_p=1, json_schema=json.dumps(schema))
    grammar = model.grammar(params)
    assert grammar is not None
    sampler = Sampler(params, grammar)
    rng = np.random.default_rng(seed)
    text = b""
    for _ in range(80):
        row = rng.normal(0, 1, model.n_vocab).astype(np.float32)
        row[128:256] = -50
        token = sampler.distribution(row).sample(rng)
        sampler.commit([token])
        if token in model.end_tokens:
            break
        text += model.token_bytes(token)
    grammar.close()
    value = json.loads(text)
    assert sorted(value) == ["name", "ok"]
    assert len(value["name"]) <= 5


@pytest.mark.parametrize("text", ['a"b', "x\ny", "back\\slash", "größe 日本 😀", "tab\t/"])
def test_names_and_values_are_spelt_as_json(model: LlamaModel, text: str) -> None:
    """The converter's literals lost their backslashes, and emoji became halves of characters."""
    schema = {"type": "object", "properties": {text: {"enum": [text]}}, "required": [text]}
    grammar = model.grammar(SamplingParams(json_schema=json.dumps(schema)))
    assert grammar is not None
    written = json.dumps({text: text}, ensure_ascii=False).encode()
    for index, byte in enumerate(written):
        assert byte in may_follow(grammar, written[:index])
    assert may_follow(grammar, written) >= ENDS
    grammar.close()


ABORTS = """
import llama_cpp, sys
from tests.llama.test_context import load
from pathlib import Path
model = load(Path(sys.argv[1]))
sampler = llama_cpp.llama_sampler_init_grammar(model._vocab, b'root ::= "a"', b"root")
llama_cpp.llama_sampler_accept(sampler, int(sys.argv[2]))
"""


@pytest.mark.parametrize("token", [ord("x"), END])
def test_llama_cpp_still_ends_the_process(tiny_files: TinyFiles, token: int) -> None:
    """The reason for asking before: when this fails, the check may go."""
    command = [sys.executable, "-c", ABORTS, str(tiny_files.target), str(token)]
    assert subprocess.run(command, capture_output=True, timeout=60).returncode != 0
