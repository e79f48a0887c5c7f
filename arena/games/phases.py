"""The phases of a round, which are also the kinds of decision taken in them."""

from typing import Final

DESIGNATE: Final = "designate"
PLAY: Final = "play"
DELAYED: Final = "delayed"
TOKEN: Final = "token"
PICK: Final = "pick"
TASK: Final = "task"
DISCARD: Final = "discard"
OVER: Final = "over"
"""No decision: the game is at its end."""
