"""Stichkampf: a tournament harness for bots that play trick-taking card games."""
