"""`localspec run` as a user's shell sees it: a process, its streams and its exit code."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import TinyFiles, register

QUICK = ["--ctx", "512", "--threads", "1", "--temp", "0"]


def localspec(
    *args: str, stdin: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "localspec", *args],
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        text=True,
        env=os.environ | environment,
        timeout=60,
    )


def refused(done: subprocess.CompletedProcess[str], code: int, sentence: str) -> None:
    """One line on stderr, no traceback, nothing on stdout."""
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("localspec: ")


@pytest.mark.usefixtures("tiny_pair")
class TestReply:
    def test_stdout_is_the_reply_and_stderr_one_line_of_numbers(self) -> None:
        """Escape codes and spinners ended up in files (B38)."""
        done = localspec("run", "tiny", "Hello", "-n", "12", *QUICK)
        assert done.returncode == 0
        as_json = json.loads(localspec("run", "tiny", "Hello", "-n", "12", *QUICK, "--json").stdout)
        assert done.stdout.rstrip("\n") == _shown(as_json["text"]).rstrip("\n")
        assert "tok/s · 12 tokens · " in done.stderr
        assert done.stderr.count("\n") == 1
        assert "\x1b" not in done.stdout + done.stderr

    @pytest.mark.parametrize("spec", ["off", "draft", "suffix", "auto"])
    def test_json_has_the_promised_names(self, spec: str) -> None:
        done = localspec("run", "tiny", "-p", "Hi", "-n", "16", *QUICK, "--json", "--spec", spec)
        report = json.loads(done.stdout)
        names = "text token_ids finish_reason model placement spec seed stats speculation"
        assert set(names.split()) == set(report)
        state = "off" if spec == "off" else "active" if report["stats"]["num_drafts"] else "idle"
        assert report["speculation"]["state"] == state
        assert bool(report["speculation"]["reason"]) == (state != "active")
        assert report["model"] == "tiny"
        draft = "CPU" if spec in ("draft", "auto") else None
        assert report["placement"] == {"target": "CPU", "draft": draft, "ctx": 512}
        assert report["spec"] == spec
        stats = report["stats"]
        assert stats["num_tokens"] == len(report["token_ids"]) == 16
        if spec == "off":
            assert stats["num_drafts"] == 0
        assert stats["decode_s"] >= stats["draft_s"] + stats["verify_s"] + stats["sample_s"] > 0

    def test_the_seed_repeats_a_sampled_reply(self) -> None:
        """The seed was not honoured, or never shown (B41)."""

        def text(*more: str) -> dict[str, object]:
            args = ["run", "tiny", "-p", "Hi", "-n", "16", "--ctx", "512", "--threads", "1"]
            return json.loads(localspec(*args, "--json", "--temp", "1.5", *more).stdout)

        first = text()
        again = text("--seed", str(first["seed"]))
        assert again["text"] == first["text"]
        assert text("--seed", "1")["text"] != text("--seed", "2")["text"]

    def test_stdin_is_the_prompt_or_joins_it(self) -> None:
        """A prompt waited on a closed input, or piped text was dropped (B38)."""
        lengths = []
        for words, piped in (([], "one two"), (["-p", "one"], "two"), (["-p", "one"], "")):
            done = localspec("run", "tiny", *words, "-n", "1", *QUICK, "--json", stdin=piped)
            lengths.append(json.loads(done.stdout)["stats"]["num_prompt_tokens"])
        assert lengths[0] == lengths[2] + 4
        assert lengths[1] == lengths[2] + 5

    def test_an_old_name_of_a_mode_is_taken(self) -> None:
        args = ["run", "tiny", "-p", "Hi", "-n", "4", *QUICK, "--json", "--num-draft-tokens", "3"]
        assert json.loads(localspec(*args, "--spec", "ngram").stdout)["spec"] == "suffix"
        assert json.loads(localspec(*args, LOCALSPEC_SPEC="ngram").stdout)["spec"] == "suffix"

    def test_raw_uses_no_template(self) -> None:
        done = localspec("run", "tiny", "-p", "abc", "--raw", "-n", "1", *QUICK, "--json")
        assert json.loads(done.stdout)["stats"]["num_prompt_tokens"] == 3

    def test_a_stop_string_is_not_part_of_the_reply(self) -> None:
        whole = json.loads(
            localspec("run", "tiny", "-p", "Hi", "-n", "30", *QUICK, "--json").stdout
        )
        stop = whole["text"][10:12]
        done = localspec("run", "tiny", "-p", "Hi", "-n", "30", *QUICK, "--json", "--stop", stop)
        cut = json.loads(done.stdout)
        assert cut["text"] == whole["text"][: whole["text"].index(stop)]
        assert cut["finish_reason"] == "stop"

    def test_a_reader_that_leaves_ends_it_quietly(self) -> None:
        """`| head -1` gave a traceback (B38)."""
        command = f"'{sys.executable}' -m localspec run tiny Hello -n 4000 --ctx 8192 --threads 1"
        done = subprocess.run(
            ["bash", "-c", f"{command} | head -c 1; exit ${{PIPESTATUS[0]}}"],
            capture_output=True, timeout=60, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == 0
        assert b"Traceback" not in done.stderr
        assert b"Exception" not in done.stderr

    @pytest.mark.skipif(os.name == "nt", reason="SIGINT to one process is POSIX")
    def test_ctrl_c_stops_with_130(self) -> None:
        command = [sys.executable, "-m", "localspec", "run", "tiny", "Hello", "--ctx", "32768"]
        with subprocess.Popen(
            [*command, "--threads", "1", "--stop", "never said"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        ) as process:  # fmt: skip
            assert process.stdout is not None
            process.stdout.read(1)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=30)
        assert process.returncode == 130
        assert errors.endswith("localspec: interrupted\n")
        assert "Traceback" not in errors


@pytest.mark.usefixtures("tiny_pair")
class TestRefusals:
    def test_a_single_word_that_names_no_model_is_not_a_prompt(self) -> None:
        done = localspec("run", "tinny")
        refused(done, 2, 'No model is called "tinny". Nearest: tiny')
        assert "localspec run -p tinny" in done.stderr
        refused(localspec("run", "tinny", "Hello there"), 2, "Nearest: tiny")

    def test_there_must_be_a_prompt(self) -> None:
        refused(localspec("run", "tiny"), 2, "There is no prompt.")
        refused(localspec("run", "tiny", "-p", "  "), 2, "The prompt is empty.")
        refused(localspec("run", "tiny", "a b", "-p", "c"), 2, "given twice")

    @pytest.mark.parametrize(
        ("flags", "sentence"),
        [
            (["--temp", "-1"], "temperature"),
            (["--temp", "hot"], "--temp"),
            (["--top-p", "1.5"], "top_p"),
            (["--min-p", "2"], "min_p"),
            (["--top-k", "-3"], "top_k"),
            (["-n", "0"], "max_tokens"),
            (["--num-draft-tokens", "0"], "num_draft_tokens"),
            (["--ctx", "10"], "ctx"),
            (["--threads", "100000"], "threads"),
            (["--num-draft-tokens", "33"], "num_draft_tokens"),
            (["--gpu-layers", "²"], "number of layers"),
            (["--spec", "magic"], "--spec"),
            (["--gpu-layers", "many"], "number of layers"),
            (["--seed", "-5"], "seed"),
            (["--stop", ""], "stop string"),
            (["--nonsense"], "--nonsense"),
        ],
    )
    def test_a_value_out_of_range(self, flags: list[str], sentence: str) -> None:
        refused(localspec("run", "tiny", "-p", "Hi", *flags), 2, sentence)

    def test_a_context_too_small_for_the_prompt(self) -> None:
        done = localspec("run", "tiny", "-p", "x" * 600, "--ctx", "512", "--threads", "1")
        refused(done, 1, "the context holds 512")

    def test_a_known_model_that_is_not_here(self) -> None:
        refused(localspec("run", "llama3-70b", "-p", "Hi"), 1, "localspec pull llama3-70b")

    @pytest.mark.parametrize("kind", ["missing", "truncated", "garbage"])
    def test_a_broken_target(self, kind: str, tiny_files: TinyFiles, tmp_path: Path) -> None:
        path = tmp_path / "broken.gguf"
        whole = tiny_files.target.read_bytes()
        path.write_bytes(whole[: len(whole) // 2] if kind == "truncated" else b"\0" * len(whole))
        register("broken", target=path)
        if kind == "missing":
            path.unlink()
        refused(localspec("run", "broken", "-p", "Hi"), 1, "broken")

    def test_debug_shows_the_traceback(self) -> None:
        done = localspec("run", "tinny", "--debug")
        assert done.returncode == 2
        assert "Traceback" in done.stderr
        assert done.stderr.splitlines()[-1].startswith("localspec: No model is called")

    def test_the_screen_needs_a_terminal(self) -> None:
        refused(localspec(), 2, "localspec run -p")
        refused(localspec("chat", "tiny"), 2, "localspec run -p")

    def test_a_broken_config_file_is_named(self, own_home: Path) -> None:
        config = own_home / "config" / "config.toml"
        config.parent.mkdir()
        config.write_text("temperature = \n")
        refused(localspec("run", "tiny", "-p", "Hi"), 2, "config.toml is not valid TOML")


def test_settings_come_from_flags_then_environment_then_file(
    own_home: Path, tiny_pair: str
) -> None:
    config = own_home / "config" / "config.toml"
    config.parent.mkdir()
    config.write_text(f'model = "{tiny_pair}"\nmax_tokens = 3\nctx = 512\nthreads = 1\n')

    def count(*flags: str, **environment: str) -> int:
        done = localspec("run", "-p", "Hi", "--json", *flags, **environment)
        return json.loads(done.stdout)["stats"]["num_tokens"]

    assert count() == 3
    assert count(LOCALSPEC_MAX_TOKENS="2") == 2
    assert count("-n", "1", LOCALSPEC_MAX_TOKENS="2") == 1


def _shown(text: str) -> str:
    from localspec.cli.failure import printable

    return printable(text)


def test_a_pair_without_a_draft_says_who_looks_for_one(
    own_home: Path, tiny_files: TinyFiles
) -> None:
    """It said that there is none, and nothing of what to do."""
    register("alone", target=tiny_files.target)
    done = localspec("run", "alone", "-p", "hi", "--max-tokens", "1", *QUICK)
    assert done.returncode == 0, done.stderr
    assert "none belongs to this pair; `localspec drafts alone` looks for one" in done.stderr
