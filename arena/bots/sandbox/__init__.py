"""The sandbox: what a bot may see, change and use."""
