"""Kills itself with SIGKILL, to look like the victim of an operator who plays the game again."""

import os
import signal

import attacker

attacker.play(lambda: os.kill(os.getpid(), signal.SIGKILL))
