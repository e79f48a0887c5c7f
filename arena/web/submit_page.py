"""The page with the submission form, rendered in the style of the report."""

from pathlib import Path
from typing import Any, Final

from jinja2 import ChoiceLoader, PackageLoader
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from arena.ladder import settings
from arena.report.pages.base import Pages
from arena.web.api.context import ApiContext
from arena.web.errors import ApiError
from arena.web.pages import content_response
from arena.web.site_cache import TaggedContent

STATIC: Final = Path(__file__).parent / "static"


def render_template(pages: Pages, template: str, path: str, **told: Any) -> bytes:
    """A page of ours among those of a site; what stands on it does not follow the run."""
    loaders = [PackageLoader("arena.web"), PackageLoader("arena.report")]
    environment = pages.environment.overlay(loader=ChoiceLoader(loaders))
    found = environment.get_template(template)
    return found.render(here=path, root="../" * path.count("/"), live=False, **told).encode()


def static_files() -> dict[str, bytes]:
    """Our own scripts and styles, by their paths."""
    return {f"static/{file.name}": file.read_bytes() for file in sorted(STATIC.iterdir())}


class SubmitPage:
    """The form, and what to type where nobody has a browser."""

    def __init__(self, context: ApiContext) -> None:
        self.context = context

    async def page(self, request: Request) -> Response:
        """The page, made once for each site."""
        pages = self.context.site_cache.current.pages
        try:
            found = pages.get("submit")
            if found is None:
                found = pages["submit"] = await self.context.run_in_thread(self.build_page)
        except ApiError as failure:
            return PlainTextResponse(f"{failure}\n", failure.status, failure.headers)
        return content_response(request, found, "text/html")

    def build_page(self) -> TaggedContent:
        """The page."""
        allowed = settings.load(self.context.folder).keys.submissions
        site = self.context.site_cache.current.site
        return TaggedContent.of(
            render_template(site.pages, "submit.html", "submit", allowed=allowed)
        )
