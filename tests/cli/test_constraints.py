"""Flags that say what a reply may be: they reach it, or are refused before a model is loaded."""

import json
import math
from pathlib import Path

import pytest

from localspec.backends.sampling import sampling_params
from localspec.cli.constraints import constraints
from localspec.errors import UsageError
from localspec.settings import load_settings
from tests.cli.invoke import invoke

QUICK = ["--ctx", "512", "--threads", "1", "--temp", "0", "--json"]


@pytest.mark.usefixtures("tiny_pair")
@pytest.mark.parametrize("spec", ["off", "draft", "ngram"])
class TestRun:
    def test_a_reply_follows_a_schema(self, capsys: pytest.CaptureFixture[str], spec: str) -> None:
        schema = '{"type": "array", "items": {"enum": [1, 22, 333]}, "minItems": 3, "maxItems": 5}'
        done = invoke(capsys, "run", "tiny", "Hi", *QUICK, "--spec", spec, "--json-schema", schema)
        report = json.loads(done.out)
        assert set(json.loads(report["text"])) <= {1, 22, 333}
        assert report["finish_reason"] == "stop"

    def test_options_change_the_reply_and_drafts_do_not(
        self, capsys: pytest.CaptureFixture[str], spec: str, tmp_path: Path
    ) -> None:
        grammar = tmp_path / "letters.gbnf"
        grammar.write_text('root ::= ([a-e] | "th" | " ")+')
        flags = ["--grammar", str(grammar), "--repeat-penalty", "1.8", "--repeat-last-n", "16"]
        flags += ["--frequency-penalty", "0.3", "--presence-penalty", "0.2", "-n", "40"]
        flags += ["--logit-bias", "99=-inf", "--logit-bias", "100=2"]

        def ids(*more: str) -> list[int]:
            done = invoke(capsys, "run", "tiny", "Hi", *QUICK, "--spec", spec, *more)
            return json.loads(done.out)["token_ids"]

        constrained = ids(*flags)
        assert constrained == ids(*flags, "--spec", "off")
        assert set(bytes(token for token in constrained if token < 256)) <= set(b"abde ")
        assert constrained != ids("--grammar", str(grammar), "-n", "40")


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        (["--repeat-penalty", "0"], "repeat_penalty = 0.0"),
        (["--presence-penalty", "1000"], "presence_penalty = 1000.0"),
        (["--repeat-last-n", "-2"], "repeat_last_n = -2"),
        (["--logit-bias", "hello=3"], "not an id and a number"),
        (["--logit-bias", "5"], "not an id and a number"),
        (["--logit-bias", "5=nan"], "must be a number"),
        (["--logit-bias", "5=1", "--logit-bias", "5=2"], "two logit biases"),
        (["--grammar", "missing.gbnf"], "missing.gbnf can't be read"),
        (["--grammar", "."], ". can't be read"),
        (["--json-schema", "missing.json"], "missing.json can't be read"),
        (["--grammar", "a", "--json-schema", "{}"], "both --grammar and --json-schema"),
    ],
)
@pytest.mark.parametrize("command", ["run", "compare", "bench"])
def test_a_flag_that_cannot_be_honoured_is_refused(
    capsys: pytest.CaptureFixture[str], command: str, flags: list[str], reason: str
) -> None:
    named = ["-p", "Hi"] if command == "run" else ["tiny"]
    done = invoke(capsys, command, *named, *flags)
    assert done.code == 2
    assert reason in done.err
    assert done.err.count("\n") == 1


@pytest.mark.usefixtures("tiny_pair")
@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        (["--logit-bias", "260=1"], "one of the model's 260 ids, not 260"),
        (["--json-schema", '{"minimum": 3}'], "uses minimum"),
        (["--json-schema", "{"], "is not JSON"),
    ],
)
def test_what_only_the_model_can_judge_is_refused_too(
    capsys: pytest.CaptureFixture[str], flags: list[str], reason: str
) -> None:
    done = invoke(capsys, "run", "tiny", "Hi", *QUICK, *flags)
    assert done.code == 2
    assert done.out == ""
    assert reason in done.err


def test_an_empty_file_is_no_grammar(tmp_path: Path) -> None:
    """Without text there was no constraint at all."""
    for content in ("", " \n"):
        (tmp_path / "empty").write_text(content)
        with pytest.raises(UsageError, match="is empty"):
            constraints(None, str(tmp_path / "empty"), None)


def test_a_flag_replaces_what_the_configuration_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCALSPEC_GRAMMAR", 'root ::= "a"')
    monkeypatch.setenv("LOCALSPEC_LOGIT_BIAS", "[[5, -Infinity]]")
    assert sampling_params(load_settings()).grammar == 'root ::= "a"'
    params = sampling_params(load_settings(**constraints(None, None, "{}")))
    assert (params.grammar, params.json_schema) == ("", "{}")
    assert params.logit_bias == ((5, -math.inf),)
    params = sampling_params(load_settings(**constraints(["6=-inf", "7=2.5"], None, None)))
    assert params.logit_bias == ((6, -math.inf), (7, 2.5))
