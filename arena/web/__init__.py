"""The web server: live report pages, bot submissions and the HTTP API."""
