"""Closes its stderr, so that a referee that listens to it turns in circles."""

import os

import attacker

attacker.play(lambda: os.close(2), harmless=True)
