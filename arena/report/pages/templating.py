"""The Jinja2 environment: autoescaping, and the functions that templates call."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

from jinja2 import BytecodeCache, Environment, PackageLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup, escape
from msgspec import UNSET, UnsetType

from arena.ratings.standings import StandingsLine, StandingsTable
from arena.report.plots import whiskers
from arena.report.plots.scale import Scale, duration
from arena.report.plots.svg import cached_printable
from arena.report.plots.text import NONE, counted, estimate, number, percent
from arena.report.plots.whiskers import PlottedRating
from arena.sanitize import MAX_TEXT as LONG
from arena.sanitize import cut_middle, printable

LONGEST = 20_000
"""Characters of evidence that a page shows."""


class TemplateCache(BytecodeCache):
    """Keeps compiled templates in memory, for all environments of this process.

    Each site has an environment of its own, and takes longer to compile than to render.
    """

    def __init__(self) -> None:
        self.bytecode: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill a bucket; Jinja2 sees whether it was compiled from the same text."""
        if code := self.bytecode.get(bucket.key):
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what was compiled."""
        self.bytecode[bucket.key] = bucket.bytecode_to_string()


TEMPLATE_CACHE: Final = TemplateCache()


def create_environment() -> Environment:
    """What templates are rendered in: every value is shown as it is, or a sign in its place."""
    found = Environment(
        loader=PackageLoader("arena.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=escape_value,
        bytecode_cache=TEMPLATE_CACHE,
    )
    found.globals.update(
        {
            said.__name__: trust_output(said)
            for said in (chance, counted, cpu, duration, estimate, may_be, number, share)
        },
        day=day,
        one_line=one_line,
        several_lines=several_lines,
        short=cut_middle,
        value=value,
        when=when,
        whisker=whisker,
        whisker_head=whisker_head,
        whisker_scale=whisker_scale,
    )
    return found


def escape_value(thing: Any) -> Any:
    """A value as it may stand in a page; what is ours stays what it is."""
    if isinstance(thing, str) and not isinstance(thing, Markup):
        return printable(thing) if thing.isascii() else cached_printable(thing)
    return thing


def trust_output(function: Callable[..., str]) -> Callable[..., Markup]:
    """What this says is our own, in which spaces that hold words together are meant."""
    return lambda *given: escape(function(*given))


def several_lines(text: str) -> Markup:
    """A text of strangers with its lines, each without what would not simply show."""
    lines = cut_middle(text, LONGEST).split("\n")
    return Markup("\n").join(printable(line.expandtabs()) for line in lines)


def one_line(text: str, longest: int = LONG) -> str:
    """A text that may have several lines, in one."""
    return cut_middle(" ".join(text.split()), longest)


def when(moment: str) -> str:
    """A moment in UTC, to the minute; what is none is shown as it is."""
    found = parse_time(moment)
    return Markup("<time>{:%Y-%m-%d %H:%M} UTC</time>").format(found) if found else moment


def day(moment: str) -> str:
    """The day of a moment."""
    found = parse_time(moment)
    return f"{found:%Y-%m-%d}" if found else moment


def parse_time(moment: str) -> datetime | None:
    """A moment as ISO 8601 writes it; without a zone it is UTC already."""
    try:
        found = datetime.fromisoformat(moment)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def share(part: float | None) -> str:
    """A share of 100."""
    return NONE if part is None else f"{number(100 * part)} %"


def chance(part: float | None) -> str:
    """A chance, which never looks certain when it is not."""
    return NONE if part is None else percent(part)


def cpu(milliseconds: float | UnsetType | None) -> str:
    """CPU time of a decision."""
    if milliseconds is None or milliseconds is UNSET:
        return NONE
    return duration(1000 * milliseconds)


def value(figure: float | UnsetType | None) -> str:
    """What a column is sorted by."""
    return "" if figure is None or figure is UNSET else f"{figure:g}"


def may_be(line: StandingsLine) -> str:
    """The ranks a bot may in truth have."""
    if line.ranks is None:
        return NONE
    low, high = line.ranks
    return str(low) if low == high else f"{low}–{high}"


def whisker_scale(table: StandingsTable) -> Scale:
    """The scale that all ratings of a table share."""
    return whiskers.shared_scale(whiskers.plotted_ratings(table.lines))


def whisker_head(scale: Scale) -> Markup:
    """The axis of a column of ratings."""
    return Markup(whiskers.draw_head(scale))  # noqa: S704 (plots clean what they write)


def whisker(line: StandingsLine, scale: Scale) -> Markup:
    """A rating in its interval."""
    rated = PlottedRating(line.bot, line.mu, line.margin, line.tier)
    return Markup(whiskers.draw_cell(rated, scale))  # noqa: S704 (plots clean what they write)
