"""What goes to the engine's process arrives there as it was."""

import math

from localspec.backends.commands import Chat, Compare, from_line, to_line
from localspec.backends.interface import ReplyRequest
from localspec.chat.events import Message
from localspec.engine.sampling import SamplingParams


def test_every_sampling_option_survives() -> None:
    """A ban, a bias of -inf, became null on the way."""
    params = SamplingParams(
        repeat_penalty=1.2,
        presence_penalty=0.5,
        frequency_penalty=-0.5,
        repeat_last_n=-1,
        logit_bias=((5, -math.inf), (7, 2.5)),
        grammar='root ::= "größe\\n"',
    )
    command = Chat(1, (Message("user", "Hi"),), ReplyRequest(params))
    assert from_line(to_line(command)) == command
    compare = Compare(2, command.messages, command.request, 3)
    assert from_line(to_line(compare)) == compare
