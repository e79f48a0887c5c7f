"""Pages read back as strictly as a person would who wrote them: what is left open is an error."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from posixpath import dirname, join, normpath
from urllib.parse import unquote, urlsplit

VOID = {"meta", "link", "br", "hr", "img", "input", "wbr", "col"}
LEADS = ("href", "src", "action", "formaction", "poster", "srcset", "data", "xlink:href")
"""Attributes that make a browser fetch something or go there."""
CONTROLS = {"input", "select", "textarea"}
BARE = re.compile(r"&(?!(?:[a-z]+|#\d+|#x[0-9a-f]+);)", re.IGNORECASE)


@dataclass
class Element:
    """An element, and those it stands in."""

    tag: str
    attributes: dict[str, str]
    above: tuple["Element", ...]
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """What is written in it, also further down."""
        return "".join(self.texts)


class Page(HTMLParser):
    """A page; reading it fails where tags are not balanced."""

    def __init__(self, content: bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self.open: list[Element] = []
        self.shown: list[str] = []
        text = content.decode()
        assert text.startswith("<!doctype html>\n")
        assert not BARE.search(text)
        self.feed(text)
        self.close()
        assert not self.open, f"left open: {[one.tag for one in self.open]}"

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        """Open an element."""
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"{tag} has an attribute twice: {names}"
        made = Element(tag, {name: value or "" for name, value in attrs}, tuple(self.open))
        self.elements.append(made)
        if tag not in VOID:
            self.open.append(made)

    def handle_startendtag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        """An element that is closed at once, as drawings have them."""
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close the last element."""
        line = self.getpos()
        assert self.open, f"</{tag}> at {line} closes nothing"
        assert self.open[-1].tag == tag, f"</{tag}> at {line} closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        """Keep what is written."""
        self.shown.append(data)
        for one in self.open:
            one.texts.append(data)

    def handle_comment(self, data: str) -> None:
        """Nobody has written any."""
        raise AssertionError(f"a comment: {data}")

    def unknown_decl(self, data: str) -> None:
        """Nor anything odder."""
        raise AssertionError(f"a declaration: {data}")

    handle_pi = handle_comment

    @property
    def text(self) -> str:
        """All that is written."""
        return "".join(self.shown)

    def of(self, *tags: str) -> list[Element]:
        """The elements of some kinds."""
        return [one for one in self.elements if one.tag in tags]

    @property
    def ids(self) -> list[str]:
        """Those of all elements."""
        return [one.attributes["id"] for one in self.elements if "id" in one.attributes]

    def leads(self) -> Iterator[str]:
        """Everything it refers to."""
        for one in self.elements:
            yield from (one.attributes[name] for name in LEADS if name in one.attributes)


def check_page(content: bytes, path: str, there: set[str]) -> Page:
    """Parse a page and check it; `there` has all paths of its site."""
    page = Page(content)
    assert len(content) < 300_000
    check_elements(page)
    check_leads(page, path, there)
    check_names(page)
    return page


def check_elements(page: Page) -> None:
    """Nothing acts by itself, and everything says what it is."""
    titles = [one for one in page.of("title") if one.above[-1].tag == "head"]
    assert len(page.of("h1")) == len(titles) == len(page.of("main")) == 1
    assert page.of("h1")[0].text.strip()
    assert not page.of("style", "iframe", "object", "embed", "base", "img")
    for one in page.elements:
        acting = [name for name in one.attributes if name.startswith("on") or name == "style"]
        assert not acting, (one.tag, one.attributes)
        assert "http-equiv" not in one.attributes
    for one in page.of("script"):
        assert one.attributes["src"]
        assert not one.text
    for one in page.of("th"):
        assert one.attributes.get("scope") in {"row", "col"}


def check_leads(page: Page, path: str, there: set[str]) -> None:
    """All that it refers to is there: a file of the site, or a place in this page."""
    for lead in page.leads():
        parts = urlsplit(lead)
        assert not parts.scheme, lead
        assert not parts.netloc, lead
        assert not lead.startswith(("/", "\\")), lead
        if parts.path:
            found = normpath(join(dirname(path), unquote(parts.path)))
            assert found in there, (path, lead)
        if parts.fragment and not parts.path.endswith("game.html"):  # a replay has its own
            assert parts.fragment in page.ids, (path, lead)


def check_names(page: Page) -> None:
    """Ids are given once, what they are named by is there, and controls have labels."""
    twice = [name for name, count in Counter(page.ids).items() if count > 1]
    assert not twice
    labels = {one.attributes["for"] for one in page.of("label") if "for" in one.attributes}
    for one in page.elements:
        for name in ("aria-labelledby", "aria-describedby", "for"):
            for known in one.attributes.get(name, "").split():
                assert known in page.ids, (one.tag, name, known)
        told = {"aria-label", "aria-labelledby"} & set(one.attributes)
        if one.tag in CONTROLS:
            inside = [above for above in one.above if above.tag == "label"]
            assert told or inside or one.attributes.get("id") in labels, one.attributes
        if one.tag == "button":
            assert told or one.text.strip(), one.attributes


def check_text_is_harmless(page: Page) -> None:
    """Check that hostile texts are shown as plain text."""
    texts = [page.text, *(text for one in page.elements for text in one.attributes.values())]
    for text in texts:
        if text.isascii() and text.isprintable():
            continue
        odd = {sign for sign in set(text) - {"\n", "\u00a0"} if not sign.isprintable()}
        assert not odd, (odd, text)
        assert "\u0301" * 4 not in text
