"""Walls around a bot: what it may see, touch and use."""
