"""Lets the reports of tests cross from one process to another, whatever text is in them."""

from collections.abc import Generator

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable() -> Generator[None, object, object]:
    """Escape lone surrogates, which UTF-8 cannot encode and which would end the process."""
    return escaped((yield))


def escaped(value: object) -> object:
    """The same with an escape for each lone surrogate."""
    match value:
        case str():
            return value.encode(errors="backslashreplace").decode()
        case dict():
            return {escaped(key): escaped(each) for key, each in value.items()}
        case list() | tuple():
            return type(value)(escaped(each) for each in value)
    return value
