"""The page with the submission form, rendered in the style of the report."""

from pathlib import Path
from typing import Any, Final

from jinja2 import ChoiceLoader, PackageLoader
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from arena.ladder import settings
from arena.report.pages.base import Pages
from arena.web.api.context import ApiContext
from arena.web.api_errors import ApiError
from arena.web.pages import content_response
from arena.web.site_cache import TaggedContent

STATIC_FOLDER: Final = Path(__file__).parent / "static"


def render_template(pages: Pages, template: str, path: str, **values: Any) -> bytes:
    """Render a page of the server in the style of a site; it does not follow the run."""
    loaders = [PackageLoader("arena.web"), PackageLoader("arena.report")]
    environment = pages.environment.overlay(loader=ChoiceLoader(loaders))
    page = environment.get_template(template)
    return page.render(here=path, root="../" * path.count("/"), live=False, **values).encode()


def static_files() -> dict[str, bytes]:
    """The scripts and style sheets of this package, by their paths."""
    return {f"static/{file.name}": file.read_bytes() for file in sorted(STATIC_FOLDER.iterdir())}


class SubmitPage:
    """The page with the form, and with commands that do the same."""

    def __init__(self, context: ApiContext) -> None:
        self.context = context

    async def page(self, request: Request) -> Response:
        """Serve the page, which is rendered once for each site."""
        rendered_pages = self.context.site_cache.current.rendered_pages
        try:
            content = rendered_pages.get("submit")
            if content is None:
                content = rendered_pages["submit"] = await self.context.run_in_thread(
                    self.build_page
                )
        except ApiError as error:
            return PlainTextResponse(f"{error}\n", error.status, error.headers)
        return content_response(request, content, "text/html")

    def build_page(self) -> TaggedContent:
        """Render the page."""
        allowed = settings.load_settings(self.context.folder).keys.submissions
        site = self.context.site_cache.current.site
        return TaggedContent.of(
            render_template(site.pages, "submit.html", "submit", allowed=allowed)
        )
