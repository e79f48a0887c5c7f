"""The page on which a bot is submitted."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from arena.ladder import settings
from arena.web.api.desk import Desk
from arena.web.api.failures import Failure
from arena.web.pages import answered
from arena.web.showing import Content
from arena.web.templating import render


class Submitting:
    """The form, and what to type where nobody has a browser."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    async def page(self, request: Request) -> Response:
        """The page, made once for each site."""
        pages = self.desk.showing.shown.pages
        try:
            found = pages.get("submit")
            if found is None:
                found = pages["submit"] = await self.desk.done(self.made)
        except Failure as failure:
            return PlainTextResponse(f"{failure}\n", failure.status, failure.headers)
        return answered(request, found, "text/html")

    def made(self) -> Content:
        """The page."""
        allowed = settings.load(self.desk.folder).keys.submissions
        site = self.desk.showing.shown.site
        return Content.of(render(site.pages, "submit.html", "submit", allowed=allowed))
