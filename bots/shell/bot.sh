#!/bin/sh
# A bot for Stichkampf: the referee asks on stdin, the answers go to stdout, stderr is its log.
#
# One jq hears all there is to hear. It takes the place of this shell, so that there is one process
# to end; unbuffered it answers each question before it waits for the next.

if ! command -v jq >/dev/null; then
  echo "The shell bot needs jq, which is not on the PATH: run 'apt install jq'." >&2
  exit 1
fi
exec jq --compact-output --unbuffered -L "$(dirname "$0")" 'include "talk"; hear'
