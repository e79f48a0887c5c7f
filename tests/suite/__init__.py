"""How the suite is run: its stages, their order, the tools they need and what they leave behind."""
