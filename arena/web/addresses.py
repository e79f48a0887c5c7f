"""Client addresses: which belong to one client, and which are trusted proxies."""

import os
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Any, Final

from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

TRUSTED_PROXIES: Final = os.environ.get("FORWARDED_ALLOW_IPS", "127.0.0.1,::1")
"""Trusted proxies, whose `X-Forwarded-For` is believed, in the format of uvicorn."""
IPV6_PREFIX_BITS: Final = 64
"""Bits of an IPv6 address that identify a client."""
MAX_HOST_LENGTH: Final = 64
"""Characters of a host that is not an IP address."""


async def placeholder_app(*_: Any) -> None:
    """An app that does nothing; the middleware that parses the list of hosts needs one."""


TRUSTED_HOSTS: Final = ProxyHeadersMiddleware(placeholder_app, TRUSTED_PROXIES).trusted_hosts


def client_network(host: str) -> str:
    """The client of an address: the address itself, or the network of an IPv6 address."""
    try:
        address = ip_address(host)
    except ValueError:
        return host[:MAX_HOST_LENGTH]
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or IPv6Network((address, IPV6_PREFIX_BITS), strict=False))
    return str(address)


def is_proxy(host: str) -> bool:
    """Whether an address belongs to a trusted proxy, which connects for many clients."""
    return host in TRUSTED_HOSTS
