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
from arena.report.plots.text import NO_VALUE, estimate_text, number, percent
from arena.report.plots.whiskers import PlottedRating
from arena.sanitize import MAX_TEXT, cut_middle, printable
from arena.text import plural

MAX_LINES_LENGTH = 20_000
"""Characters of a text of several lines that a page shows."""


class TemplateCache(BytecodeCache):
    """Keeps compiled templates in memory, for all environments of this process.

    Each site has an environment of its own, and takes longer to compile than to render.
    """

    def __init__(self) -> None:
        self.bytecode: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load compiled code; Jinja2 checks that it was compiled from the same text."""
        if code := self.bytecode.get(bucket.key):
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep compiled code."""
        self.bytecode[bucket.key] = bucket.bytecode_to_string()


TEMPLATE_CACHE: Final = TemplateCache()


def create_environment() -> Environment:
    """Create the environment: values are escaped, and what is not printable is replaced."""
    environment = Environment(
        loader=PackageLoader("arena.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=escape_value,
        bytecode_cache=TEMPLATE_CACHE,
    )
    environment.globals.update(
        {
            function.__name__: trust_output(function)
            for function in (
                chance,
                plural,
                cpu,
                duration,
                estimate_text,
                rank_range,
                number,
                share,
            )
        },
        day=format_day,
        one_line=one_line,
        several_lines=several_lines,
        short=cut_middle,
        value=sort_value,
        when=format_time,
        whisker=whisker,
        whisker_head=whisker_head,
        whisker_scale=whisker_scale,
    )
    return environment


def escape_value(thing: Any) -> Any:
    """Replace what is not printable in a text; markup of ours stays as it is."""
    if isinstance(thing, str) and not isinstance(thing, Markup):
        return printable(thing) if thing.isascii() else cached_printable(thing)
    return thing


def trust_output(function: Callable[..., str]) -> Callable[..., Markup]:
    """Wrap a function whose texts are ours, so that their no-break spaces stay."""
    return lambda *given: escape(function(*given))


def several_lines(text: str) -> Markup:
    """Split a text into lines, and replace what is not printable in each."""
    lines = cut_middle(text, MAX_LINES_LENGTH).split("\n")
    return Markup("\n").join(printable(line.expandtabs()) for line in lines)


def one_line(text: str, length: int = MAX_TEXT) -> str:
    """Join the lines of a text and shorten it."""
    return cut_middle(" ".join(text.split()), length)


def format_time(text: str) -> str:
    """A time in UTC to the minute; a text that is not a time is shown as it is."""
    time = parse_time(text)
    return Markup("<time>{:%Y-%m-%d %H:%M} UTC</time>").format(time) if time else text


def format_day(text: str) -> str:
    """The day of a time."""
    time = parse_time(text)
    return f"{time:%Y-%m-%d}" if time else text


def parse_time(text: str) -> datetime | None:
    """Parse a time in ISO 8601; without a zone it is UTC."""
    try:
        time = datetime.fromisoformat(text)
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def share(part: float | None) -> str:
    """A share in percent."""
    return NO_VALUE if part is None else f"{number(100 * part)} %"


def chance(part: float | None) -> str:
    """A chance in percent that never looks like certainty."""
    return NO_VALUE if part is None else percent(part)


def cpu(milliseconds: float | UnsetType | None) -> str:
    """The CPU time of a decision."""
    if milliseconds is None or milliseconds is UNSET:
        return NO_VALUE
    return duration(1000 * milliseconds)


def sort_value(figure: float | UnsetType | None) -> str:
    """The value by which a column is sorted."""
    return "" if figure is None or figure is UNSET else f"{figure:g}"


def rank_range(line: StandingsLine) -> str:
    """The rank interval of a bot."""
    if line.ranks is None:
        return NO_VALUE
    low, high = line.ranks
    return str(low) if low == high else f"{low}–{high}"


def whisker_scale(table: StandingsTable) -> Scale:
    """The scale for all ratings of a table."""
    return whiskers.shared_scale(whiskers.plotted_ratings(table.lines))


def whisker_head(scale: Scale) -> Markup:
    """Draw the axis of a column of ratings."""
    return Markup(whiskers.draw_head(scale))  # noqa: S704 (plots escape their texts)


def whisker(line: StandingsLine, scale: Scale) -> Markup:
    """Draw a rating with its interval."""
    rated = PlottedRating(line.bot, line.mu, line.margin, line.tier)
    return Markup(whiskers.draw_cell(rated, scale))  # noqa: S704 (plots escape their texts)
