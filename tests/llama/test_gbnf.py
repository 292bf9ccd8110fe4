"""Grammars that llama.cpp would end or hang the process on, or misread, are refused before."""

import pytest

from localspec.errors import UsageError
from localspec.llama.gbnf import Gbnf

FORKS = (
    "\n".join(f"{'root' if i == 0 else f'r{i}'} ::= r{i + 1} | r{i + 1}" for i in range(40))
    + '\nr40 ::= "x"'
)
CHAIN = "\n".join(f"{'root' if i == 0 else f'r{i}'} ::= r{i + 1}" for i in range(1500))


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("", "no rule named root"),
        ("# only a comment", "no rule named root"),
        ('a ::= "x"', "no rule named root"),
        ("root ::= b", "uses b, which it doesn't define"),
        ('root ::= "x"\nroot ::= "y"', "line 2: root is defined a second time"),
        ('root ::= root "x" | "y"', "left-recursive: root"),
        ('root ::= a root "x" | "y"\na ::= b\nb ::= "" | "z"', "left-recursive: root"),
        ('root ::= "z"* root "x" | "y"', "left-recursive: root"),
        ('root ::= a\na ::= b "1" | "2"\nb ::= a "3" | "4"', "left-recursive: [ab]"),
        ('root ::= "a"{5,3}', "line 1: {5,3} ends before it begins"),
        ('root ::= "a"{3000}', "line 1: {3000} is more than 2000"),
        ('root ::=\n "a"{0,3000}', "line 2: {0,3000} is more than 2000"),
        ('root ::= "a"{99999999999999999999}', "not a number of repetitions"),
        ('root ::= "a"{}', "not a number of repetitions"),
        ('root ::= "a"{1 2}', "not a number of repetitions"),
        ("root ::= *", "nothing stands before"),
        ('root ::= ""*', "nothing stands before"),
        ('root ::= "\\q"', "unknown escape"),
        ('root ::= [\\x4"]', "unknown escape"),
        ('root ::= "abc', "line 1: '\"' is not expected"),
        ("root ::= [abc", "is not expected"),
        ('root ::= ("a"', "ends inside a group"),
        ('root ::= "a")', "is not expected"),
        ("root", "ends behind root"),
        ('"x"', "a rule must be"),
        ("root ::= <|im_end|>", "only characters"),
        ("root ::= <[5]>", "only characters"),
        ("root ::= !<[5]>", "only characters"),
        ('root ::= "a\0b"', "NUL"),
        ("root ::= " + "(" * 20_000 + '"a"' + ")" * 20_000, "nested more than"),
        (CHAIN + '\nr1500 ::= "x"', "over 1000 deep"),
        (FORKS, "too many ways"),
        ("root ::= " + '"abcdefgh"{2000} ' * 200, "too large"),
    ],
)
def test_it_is_refused_in_a_sentence(source: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason.replace("{", r"\{")) as refused:
        Gbnf(source)
    assert "\n" not in refused.value.message
    assert len(refused.value.message) < 120


@pytest.mark.parametrize(
    ("source", "bounds"),
    [
        ('root ::= "ab"', "abc"),
        ("root ::= [a-z0]", "01a{"),
        ("root ::= [^a-fé]", "agéê"),
        ("root ::= [-a] [b-]", "-.abc"),
        ("root ::= [xa-c-9]", "-.9:adxy"),
        ('root ::= "\\n\\x41\\u00e9\\U0001F600\\""', '\n\x0b"#ABéê😀😁'),
        ('root ::= .* # "comment"', ""),
        ("root ::= (a | [b]\n  [c])?\na ::= | \n [d]", "bcde"),
        ('root ::= ("a"*)*', "ab"),
        ("root ::=\n  a\na ::= [x]\r\n\r\n# end", "xy"),
    ],
)
def test_which_characters_it_tells_apart(source: str, bounds: str) -> None:
    assert Gbnf(source).bounds == [ord(char) for char in bounds]
