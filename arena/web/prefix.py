"""A prefix: everything stands below a path, whether or not who is in between takes it away."""

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send


class Prefixed:
    """Takes paths with a prefix and those from which a proxy took it, and tells all of it."""

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self.app = app
        self.prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as if the prefix were everything that there is above us."""
        if scope["type"] != "http" or not self.prefix:
            await self.app(scope, receive, send)
            return
        path: str = scope["path"]
        if path == self.prefix:  # else links, which begin where a page stands, would miss it
            answer = Response(status_code=308, headers={"location": f"{self.prefix}/"})
            await answer(scope, receive, send)
            return
        whole = path if path.startswith(f"{self.prefix}/") else self.prefix + path
        await self.app({**scope, "root_path": self.prefix, "path": whole}, receive, send)
