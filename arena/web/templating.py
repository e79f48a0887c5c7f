"""Pages that only a server has, made to look like those of the site."""

from pathlib import Path
from typing import Any, Final

from jinja2 import ChoiceLoader, PackageLoader

from arena.report.pages import Pages

STATIC: Final = Path(__file__).parent / "static"


def render(pages: Pages, template: str, path: str, **told: Any) -> bytes:
    """A page of ours among those of a site; what stands on it does not follow the run."""
    loaders = [PackageLoader("arena.web"), PackageLoader("arena.report")]
    environment = pages.environment.overlay(loader=ChoiceLoader(loaders))
    found = environment.get_template(template)
    return found.render(here=path, root="../" * path.count("/"), live=False, **told).encode()


def statics() -> dict[str, bytes]:
    """Our own scripts and styles, by their paths."""
    return {f"static/{file.name}": file.read_bytes() for file in sorted(STATIC.iterdir())}
